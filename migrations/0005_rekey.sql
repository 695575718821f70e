-- `folio rekey` seals stored secrets with another key. Only the service's role may replace the sealed text of rows that
-- otherwise never change. A sealed text opens only in its own row, and no request may write these columns.
grant update (sealed) on certificates to folio_service;
grant update (sealed) on softwares to folio_service;
grant update (technical_key_sealed) on resolutions to folio_service;
grant update (sealed) on key_canary to folio_service;

-- Name of the key with which the process seals secrets; null for a process of an earlier release. The name doesn't
-- reveal the key.
alter table workers add key_name text;
