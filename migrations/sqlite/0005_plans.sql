-- What billing needs to know of an account; its credits are in the file beside this one, see `sqlite-billing`.

-- `plan_version` counts the plans that the account has been on. What was read before a change never undoes it.
alter table account add column plan_version bigint not null default 1;
-- Whether calls are answered when the credits are used up, where the plan allows that.
alter table account add column overage boolean not null default false;
