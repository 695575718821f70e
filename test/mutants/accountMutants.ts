import { guards, type Mutant } from "./Mutant.ts"

/** Guards of accounts, their data and their limits. */
export const accountMutants: ReadonlyArray<Mutant> = [
  ...guards("src/accounts/store/Accounts.ts", "test/http/routes/AccountUpdate.pg.test.ts", {
    "a change of the account applies to both of its modes": {
      "const where = (account: AccountMode) => ofAccount(sql, account)":
        "const where = ({ account_id }: AccountMode) => sql`account_id = ${account_id} and not livemode`"
    }
  }),
  ...guards("src/invoices/enablement/LiveSteps.ts", "test/http/routes/AccountUpdate.pg.test.ts", {
    "a live mode without an issuer issues": {
      'if (issuer === null) return [{ code: "issuer", phrase: issuerLack }]': "if (issuer === null) return []"
    }
  }),
  ...guards("src/invoices/enablement/LiveSteps.ts", "test/http/routes/parties/LiveSteps.pg.test.ts", {
    "an account without numbers counts as ready": { "if (has_number) return []": "if (has_range) return []" }
  }),
  ...guards("src/accounts/ShownAccounts.ts", "test/http/routes/parties/LiveSteps.pg.test.ts", {
    "the response to a change of the issuer shows the steps before the change": {
      "issuer: account.issuer, software": "software"
    }
  }),
  ...guards("src/invoices/Signing.ts", "test/postgres/accounts/Softwares.pg.test.ts", {
    "a document names the service's software, not the account's": {
      "profile.sign(yield* document(row), yield* certificateOf(row), yield* softwareOf(row))":
        "profile.sign(yield* document(row), yield* certificateOf(row))"
    }
  }),
  ...guards("src/invoices/Numbering.ts", "test/postgres/accounts/Softwares.pg.test.ts", {
    "the code of a note uses the service's PIN": { "      ...issued_by.software\n": "" }
  }),
  ...guards("migrations/0001_schema/2_accounts.sql", "test/accounts/store/Softwares.pg.test.ts", {
    "a change of software makes no new version of the issuer": {
      "or new.issuer is not null and new.software is distinct from old.software)\n  execute function count_issuer();":
        ")\n  execute function count_issuer();",
      "or new.issuer is not null and new.software is distinct from old.software)\n  execute function keep_issuer();":
        ")\n  execute function keep_issuer();"
    },
    "a PIN can change after its documents exist": {
      "grant select, insert on softwares to folio_service;":
        "grant select, insert, update, delete on softwares to folio_service;"
    },
    "every account sees the softwares of all accounts": { "call isolate_accounts('softwares');\n": "" },
    "requests read sealed secrets": {
      "grant select (account_id, livemode, id, software_id, provider_number, created_at), insert on softwares":
        "grant select, insert on softwares"
    }
  }),
  ...guards("src/documents/rules/parties/PartyRules.ts", "test/http/routes/AccountUpdate.pg.test.ts", {
    "a live mode issues before the account states whether it charges value added tax": {
      "vat_responsible === undefined\n": "vat_responsible === null\n"
    }
  }),
  ...guards("src/accounts/rules/Picture.ts", "test/accounts/rules/Picture.test.ts", {
    "a logo has no limit of pixels": { "width * height > pixelsMax": "width * height > Infinity" },
    "a logo has no limit of height or width": {
      "Math.max(width, height) > sideMax": "Math.max(width, height) > Infinity"
    },
    "a logo has no limit of bytes": { "file.length > pictureBytesMax": "file.length > Infinity" },
    "an animated logo is accepted": { 'has("acTL")': 'has("none")' }
  }),
  ...guards("migrations/0001_schema/2_accounts.sql", "test/database/Fences.pg.test.ts", {
    "the logo of an existing document changes": {
      "grant select, insert on logos": "grant select, insert, update, delete on logos"
    },
    "a logo is stored under another logo's hash": { " check (sha256 = encode(sha256(bytes), 'hex'))": "" }
  }),
  ...guards("migrations/0001_schema/3_parties.sql", "test/database/AccountView.pg.test.ts", {
    "every account sees the customer names of all accounts": { "call isolate_accounts('customer_names');\n": "" },
    "every account sees the authority's responses to all accounts": { "call isolate_accounts('acquirers');\n": "" }
  }),
  ...guards("src/accounts/store/Acquirers.ts", "test/operations/store/Retention.pg.test.ts", {
    "the authority's response about an acquirer never expires": {
      "and asked_at > now() - case when found then interval '1 day' else interval '1 hour' end": ""
    },
    "an acquirer that was not found is cached as long as one that was found": {
      "case when found then interval '1 day' else interval '1 hour' end": "interval '1 day'"
    }
  }),
  ...guards("src/accounts/store/Customers.ts", "test/postgres/accounts/Finding.pg.test.ts", {
    "two concurrent requests create one customer twice": {
      "where ${ofAccount(sql, account)} for no key update`": "where ${ofAccount(sql, account)}`"
    },
    "a request replaces one of two customers with the same identification": {
      "known !== undefined && other !== undefined": "known !== undefined && other === null"
    }
  }),
  ...guards("src/accounts/commands/AccountCommands.ts", "test/http/routes/AccountUpdate.pg.test.ts", {
    "a partial first issuer of a live mode is accepted": {
      "issuerFields.every((field) => issuer[field] !== undefined)":
        "issuerFields.some((field) => issuer[field] !== undefined)"
    }
  }),
  ...guards("src/documents/rules/parties/ResolutionRules.ts", "test/documents/rules/parties/ResolutionRules.test.ts", {
    "ranges with different prefixes are not compared": {
      "if (!longHead.startsWith(head)) return false": "if (longHead !== head) return false"
    },
    "text with a leading zero counts as a number": { "/^[1-9]\\d*$/.test(between)": "/^\\d+$/.test(between)" }
  }),
  ...guards("migrations/0001_schema/5_documents.sql", "test/invoices/store/FullNumbers.pg.test.ts", {
    "a document code of one account blocks the same code in another account": {
      "on invoices (cufe, account_id, livemode) where": "on invoices (cufe) where"
    }
  }),
  ...guards("src/invoices/authority/AuthoritySandbox.ts", "test/invoices/authority/AuthoritySandbox.test.ts", {
    "the simulated authority knows a document by its code alone": { "`${account_id}|${livemode}|${cufe}`": "cufe" }
  }),
  ...guards("src/accounts/store/Resolutions.ts", "test/postgres/issuing/RangesOfNotes.pg.test.ts", {
    "the service's own counter takes precedence over the account's registered ranges": {
      "held_since is not null, registered desc, id limit 1": "held_since is not null, registered, id limit 1"
    }
  }),
  ...guards("src/invoices/Numbering.ts", "test/http/routes/Resolutions.pg.test.ts", {
    "a document is created after the last number of its range": {
      "row?.full_number === lastOf(range)": "row?.full_number === range.prefix"
    }
  }),
  ...guards("src/invoices/commands/DocumentCommands.ts", "test/http/routes/Resolutions.pg.test.ts", {
    "an invoice is created without a range to number it": { "...(hasRange ? []": "...(true ? []" }
  }),
  ...guards("src/invoices/commands/DocumentCommands.ts", "test/http/routes/RangeReads.test.ts", {
    "each invoice that is created looks for its range": { "...(hasRange ? []": "...(false ? []" }
  }),
  ...guards("src/accounts/store/NoteCounters.ts", "test/http/notes/RangesOfNotes.pg.test.ts", {
    "an account that has archived its note ranges has no counter": {
      "!range.registered || (range.is_active &&": "!range.registered || (true &&"
    }
  }),
  ...guards("src/accounts/store/Resolutions.ts", "test/documents/rules/parties/ResolutionRules.test.ts", {
    "an account has no limit of ranges": { ".length >= resolutionsMax": ".length >= Infinity" }
  }),
  ...guards("schemas/Money.ts", "test/postgres/issuing/IssueDates.full.test.ts", {
    "a date accepts a year that the XML cannot hold": { "(19|20|21)\\d{2}-": "\\d{4}-" },
    "a time accepts a year that the database cannot hold": { "time >= Date.parse(first) && time <=": "time <=" }
  }),
  ...guards("src/database/ExternalIds.ts", "test/accounts/store/ExternalIds.pg.test.ts", {
    "a request with a used key takes its external id": { " and k.value is null": "" },
    "the external id of a deleted customer is named as the one of a customer": {
      "select object_id, kind = 'customer' and not exists (": "select object_id, kind = '' and not exists ("
    }
  }),
  ...guards("src/invoices/store/InvoiceCreation.ts", "test/accounts/store/ExternalIds.pg.test.ts", {
    "a second invoice with an external id is created": { "external_id is null or id in": "true or id in" }
  }),
  ...guards("src/accounts/rules/KeptExternalId.ts", "test/http/routes/ExternalIds.pg.test.ts", {
    "a correction with another external id is accepted": { "sent === external_id": "sent !== null" }
  }),
  ...guards("src/accounts/store/Customers.ts", "test/accounts/store/Limits.pg.test.ts", {
    "customers are counted without a lock": {
      "order by account_id, livemode for no key update": "order by account_id, livemode"
    },
    "a replayed customer request counts toward the limit": {
      "partition by n.account_id, n.livemode, k.value is null order by":
        "partition by n.account_id, n.livemode order by"
    }
  }),
  ...guards("src/operations/store/Retention.ts", "test/accounts/store/Limits.pg.test.ts", {
    "a key is removed while it still has stored responses": {
      " and not exists (select from idempotency_keys i where i.api_key_id = api_keys.id)": ""
    }
  }),
  ...guards("migrations/0001_schema/2_accounts.sql", "test/accounts/store/Limits.pg.test.ts", {
    "a working key can be removed": {
      "< now() - interval '1 day') is not true)": "< now() - interval '1 day') is unknown and false)"
    }
  }),
  ...guards("src/webhooks/store/NewDeliveries.ts", "test/accounts/store/Limits.pg.test.ts", {
    "an endpoint has no limit of waiting deliveries": {
      "case when w.full_since is null then 'pending' else 'failed' end": "'pending'"
    }
  }),
  ...guards("src/webhooks/store/Deliveries.ts", "test/accounts/store/Limits.pg.test.ts", {
    "an endpoint stays marked as full after its queue has space again": {
      "where w.full_since is not null and not exists": "where false and not exists"
    }
  }),
  ...guards("src/accounts/store/ApiKeys.ts", "test/accounts/store/ApiKeys.pg.test.ts", {
    "a revoked key creates a new key": { "if (by === undefined) return": "if (by !== null) return" }
  }),
  ...guards("src/runtime/Limits.ts", "test/postgres/accounts/CommandTurns.pg.test.ts", {
    "one account's commands take all connections": { "ofOwnerAtOnce: 2,": "ofOwnerAtOnce: 6," }
  }),
  ...guards("src/accounts/Command.ts", "test/http/limits/CommandTurns.test.ts", {
    "a command begins its transaction without a turn": {
      "turns.inTurn(account, context, keys.once(account, claim, effect, options))":
        "keys.once(account, claim, effect, options)"
    }
  }),
  ...guards(
    "src/accounts/store/sandbox/SandboxAuthorities.ts",
    "test/accounts/store/sandbox/SandboxAuthorities.pg.test.ts",
    {
      "two processes assign the same script": { "where ${own(account_id)} for update`": "where ${own(account_id)}`" },
      "scripts are assigned to notes before invoices": { "order by split_part(id, '_', 2)": "order by id" },
      "new scripts remove the pending outcomes of earlier documents": {
        "      yield* giveScripts(account_id)\n      return": "      return"
      }
    }
  ),
  ...guards("src/accounts/store/sandbox/ClockJumps.ts", "test/accounts/store/sandbox/SandboxAuthorities.pg.test.ts", {
    "a clock jump rewrites inactive rows": {
      "waits: sql`next_action_at < 'infinity' and": "waits: sql`next_action_at is not null and"
    },
    "a clock jump locks every waiting row": { "order by id limit ${portionMax}": "order by id limit 1000000" }
  }),
  ...guards("src/accounts/commands/SandboxCommands.ts", "test/http/routes/TestHelpers.pg.test.ts", {
    "a large clock jump that is repeated is applied twice": { "    isBeforeLong: true,\n": "" }
  }),
  ...guards("src/documents/signature/Pkcs12.ts", "test/documents/signature/Pkcs12.test.ts", {
    "a key has no limit of bits": { "answer.bits > keyBitsMax": "answer.bits > Infinity" }
  }),
  ...guards("src/database/ExternalIds.ts", "test/accounts/store/ExternalIds.pg.test.ts", {
    "external ids: a lone creation fails when another transaction claims its key": {
      'violates("external_id_names_an_object")': 'violates("none")'
    }
  })
]
