-- When the database was last backed up by `folio backup`, for the doctor; one row at most.
create table last_backup (
  one boolean primary key default true check (one),
  taken_at timestamptz not null
);

revoke delete on last_backup from folio_service;
grant select, insert, update on last_backup to folio_service;
