-- Sums of the rows that were deleted from `usage_day`, for each account. The check of the ledger compares the entries,
-- which are never deleted, with both.
create table deleted_usage (
    account_id bigint primary key,
    credits bigint not null,
    overage bigint not null
);

-- Usage that earlier programs have deleted: what the entries give beyond the rows that are left, for accounts whose first
-- day of usage is later than their first entry of a call.
insert into deleted_usage (account_id, credits, overage)
select booked.account_id, booked.credits - coalesce(kept.credits, 0), booked.overage - coalesce(kept.overage, 0)
from (
    select account_id, min(booked_at) as first_at,
        sum(case kind when 'charge' then 1 when 'refund' then -1 else 0 end) as credits,
        sum(case kind when 'overage' then 1 when 'overage-refund' then -1 else 0 end) as overage
    from ledger_entry where kind in ('charge', 'refund', 'overage', 'overage-refund') group by account_id
) booked
left join (
    select account_id, min(day) as first_day, sum(credits) as credits, sum(overage) as overage
    from usage_day group by account_id
) kept on kept.account_id = booked.account_id
where kept.first_day is null
    or to_char(to_timestamp(booked.first_at / 1000) at time zone 'UTC', 'YYYY-MM-DD') < kept.first_day;

-- The account that chose the recipient, whose consent and limits decide whether the message is sent; null: it is sent in
-- any case.
alter table mail add column account_id bigint;

-- Two hosts or tasks that deleted the records of one generation at the same time could note it as empty before it was.
update import_run set swept = false where swept and exists (
    select 1 from dataset_record r where r.dataset_id = import_run.dataset_id and r.generation = import_run.generation
);
-- The runs of such generations may be deleted meanwhile. No generation is older than that of its list's oldest run.
delete from dataset_record using (
    select dataset_id, min(generation) as oldest from import_run group by dataset_id
) kept
where dataset_record.dataset_id = kept.dataset_id and dataset_record.generation < kept.oldest;

-- Earlier programs delete usage without adding it there; the check of the ledger reports that as a mistake. They delete
-- only what is older than the setting `retention.usage_days`.
insert into schema_change (migration, oldest_program) values (27, 1);
