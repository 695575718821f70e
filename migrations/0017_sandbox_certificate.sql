-- One certificate for the test documents of all processes of a database.
--
-- A process of the release before may work beside this one: it signs with the certificate in its own DATA_DIR.

-- The private key and the certificate, as PEM text that is sealed.
create table sandbox_certificate (
  one boolean primary key default true check (one),
  sealed text not null
);

revoke all on sandbox_certificate from folio_service;
grant select, insert, update on sandbox_certificate to folio_service;
