-- Why a source could not be read, as a code beside the sentence. Null where nothing failed. An unknown code is read as
-- `other`: a newer host may have written it.
alter table section add column failure_kind text;
alter table company_details add column failure_kind text;
alter table dataset add column failure_kind text;
alter table import_run add column failure_kind text;
-- Until now the kind was only in how the sentence begins.
update section set failure_kind = case
    when failure like 'unavailable: %' then 'unavailable'
    when failure = 'throttled' or failure like 'throttled: %' then 'throttled'
    when failure like 'malformed: %' then 'malformed'
    when failure like 'misconfigured: %' then 'misconfigured'
    when failure like 'refused: %' then 'refused'
    when failure like 'limit %' then 'limit'
    when failure = 'busy' then 'busy'
    when failure like 'it failed too often and %' then 'circuit_open'
    when failure like 'trap: %' then 'trap'
    when failure like 'its answer does not fit its schema %' then 'schema'
    when failure like 'it does not offer %' then 'not_offered'
    else 'other'
end where failure is not null;
update company_details set failure_kind = case
    when failure like 'unavailable: %' then 'unavailable'
    when failure = 'throttled' or failure like 'throttled: %' then 'throttled'
    when failure like 'malformed: %' then 'malformed'
    when failure like 'misconfigured: %' then 'misconfigured'
    when failure like 'refused: %' then 'refused'
    when failure like 'limit %' then 'limit'
    when failure = 'busy' then 'busy'
    when failure like 'it failed too often and %' then 'circuit_open'
    when failure like 'trap: %' then 'trap'
    when failure like 'its answer does not fit its schema %' then 'schema'
    when failure like 'it does not offer %' then 'not_offered'
    else 'other'
end where failure is not null;
update dataset set failure_kind = case
    when failure like 'unavailable: %' then 'unavailable'
    when failure = 'throttled' or failure like 'throttled: %' then 'throttled'
    when failure like 'malformed: %' then 'malformed'
    when failure like 'misconfigured: %' then 'misconfigured'
    when failure like 'refused: %' then 'refused'
    when failure like 'limit %' then 'limit'
    when failure = 'busy' then 'busy'
    when failure like 'it failed too often and %' then 'circuit_open'
    when failure like 'trap: %' then 'trap'
    when failure like 'its answer does not fit its schema %' then 'schema'
    when failure like 'it does not offer %' then 'not_offered'
    else 'other'
end where failure is not null;
update import_run set failure_kind = case
    when failure like 'unavailable: %' then 'unavailable'
    when failure = 'throttled' or failure like 'throttled: %' then 'throttled'
    when failure like 'malformed: %' then 'malformed'
    when failure like 'misconfigured: %' then 'misconfigured'
    when failure like 'refused: %' then 'refused'
    when failure like 'limit %' then 'limit'
    when failure = 'busy' then 'busy'
    when failure like 'it failed too often and %' then 'circuit_open'
    when failure like 'trap: %' then 'trap'
    when failure like 'its answer does not fit its schema %' then 'schema'
    when failure like 'it does not offer %' then 'not_offered'
    else 'other'
end where failure is not null;
