-- Notices to the issuer: problems and events of an account that need the issuer's attention. A notice is open while its
-- cause exists. Ended notices stay for the days of retention.
--   kind              `noticeKinds` in schemas/Notice.ts
--   object_id         the certificate, the range, the endpoint or the test set that the notice is about
--   message_es        the message in the language of the email
--   next_email_at     the time of the next attempt to email the notice, or the end of a lease; null if none follows
create table notices (
  account_id text not null references accounts, livemode boolean not null, id text not null,
  kind text not null, object_id text not null, message text not null, message_es text not null,
  opened_at timestamptz not null default now(), ended_at timestamptz,
  next_email_at timestamptz, email_attempts integer not null default 0, emailed_at timestamptz,
  primary key (account_id, livemode, id),
  constraint emails_only_in_live_mode check (livemode or (next_email_at is null and emailed_at is null)),
  constraint no_email_after_the_end check (ended_at is null or next_email_at is null),
  constraint emailed_once check (emailed_at is null or next_email_at is null)
);

-- An object has one open notice of a kind, also if two processes find the cause. The index serves the open notices of
-- many accounts.
create unique index notices_open on notices (account_id, livemode, kind, object_id) where ended_at is null;
create index notices_due on notices (next_email_at) where next_email_at is not null;
-- For the check whether the issuer was emailed about the same object within a day.
create index notices_of_object on notices (account_id, livemode, object_id, kind);

create trigger notice_end_is_final before update on notices for each row
  when (old.ended_at is not null and (new.ended_at is null or new.emailed_at is null and old.emailed_at is not null))
  execute function reject_change('a notice that has ended stays ended');
grant select, insert, update (message, message_es, ended_at, next_email_at, email_attempts, emailed_at), delete on notices
  to folio_service;
grant select on notices to folio_account;
call isolate_accounts('notices');
