import { guards, type Mutant } from "./Mutant.ts"

/** Guards of what an account is and may have. */
export const accountMutants: ReadonlyArray<Mutant> = [
  ...guards("src/store/accounts/Accounts.ts", "test/http/routes/AccountUpdate.pg.test.ts", {
    "a change of the account holds in both of its modes": {
      "const where = (account: AccountMode) => ofAccount(sql, account)":
        "const where = ({ account_id }: AccountMode) => sql`account_id = ${account_id} and not livemode`"
    }
  }),
  ...guards("src/issuing/accounts/LiveSteps.ts", "test/http/routes/AccountUpdate.pg.test.ts", {
    "a live mode without an issuer issues": {
      'if (issuer === null) return [{ code: "issuer", phrase: issuerLack }]': "if (issuer === null) return []"
    }
  }),
  ...guards("src/issuing/accounts/LiveSteps.ts", "test/http/routes/parties/LiveSteps.pg.test.ts", {
    "an account without numbers is ready": { "if (has_number) return []": "if (has_range) return []" }
  }),
  ...guards("src/issuing/accounts/ShownAccounts.ts", "test/http/routes/parties/LiveSteps.pg.test.ts", {
    "a change of the issuer is answered with the steps of before": {
      "issuer: account.issuer, software": "software"
    }
  }),
  ...guards("src/issuing/Signing.ts", "test/postgres/accounts/Softwares.pg.test.ts", {
    "a document names the software of the service": {
      "profile.sign(yield* document(row), yield* certificateOf(row), yield* softwareOf(row))":
        "profile.sign(yield* document(row), yield* certificateOf(row))"
    }
  }),
  ...guards("src/issuing/Numbering.ts", "test/postgres/accounts/Softwares.pg.test.ts", {
    "the code of a note has the PIN of the service": { "      ...issued_by.software\n": "" }
  }),
  ...guards("migrations/0001_schema/2_accounts.sql", "test/store/accounts/Softwares.pg.test.ts", {
    "another software makes no other version of the issuer": {
      "or new.issuer is not null and new.software is distinct from old.software)\n  execute function count_issuer();":
        ")\n  execute function count_issuer();",
      "or new.issuer is not null and new.software is distinct from old.software)\n  execute function keep_issuer();":
        ")\n  execute function keep_issuer();"
    },
    "a PIN may change under its documents": {
      "grant select, insert on softwares to folio_service;":
        "grant select, insert, update, delete on softwares to folio_service;"
    },
    "softwares are seen by all accounts": { "call isolate_accounts('softwares');\n": "" },
    "requests read what is sealed": {
      "grant select (account_id, livemode, id, software_id, provider_number, created_at), insert on softwares":
        "grant select, insert on softwares"
    }
  }),
  ...guards("src/domain/accounts/PartyRules.ts", "test/http/routes/AccountUpdate.pg.test.ts", {
    "a live mode issues before it is known whether it charges the value added tax": {
      "vat_responsible === undefined\n": "vat_responsible === null\n"
    }
  }),
  ...guards("src/domain/accounts/Picture.ts", "test/domain/accounts/Picture.test.ts", {
    "a logo may have any number of pixels": { "width * height > pixelsMax": "width * height > Infinity" },
    "a logo may be very high or very wide": {
      "Math.max(width, height) > sideMax": "Math.max(width, height) > Infinity"
    },
    "a logo may have any number of bytes": { "file.length > pictureBytesMax": "file.length > Infinity" },
    "a logo may be animated": { 'has("acTL")': 'has("none")' }
  }),
  ...guards("migrations/0001_schema/2_accounts.sql", "test/store/sql/Fences.pg.test.ts", {
    "the logo of a document may change": {
      "grant select, insert on logos": "grant select, insert, update, delete on logos"
    },
    "a logo is kept under the hash of another": { " check (sha256 = encode(sha256(bytes), 'hex'))": "" }
  }),
  ...guards("migrations/0001_schema/3_parties.sql", "test/store/sql/AccountView.pg.test.ts", {
    "names of customers are seen by all accounts": { "call isolate_accounts('customer_names');\n": "" },
    "what the authority said is seen by all accounts": { "call isolate_accounts('acquirers');\n": "" }
  }),
  ...guards("src/store/accounts/Acquirers.ts", "test/store/sql/Retention.pg.test.ts", {
    "what the authority said of an acquirer is kept for good": {
      "and asked_at > now() - case when found then interval '1 day' else interval '1 hour' end": ""
    },
    "nobody is known for as long as somebody": {
      "case when found then interval '1 day' else interval '1 hour' end": "interval '1 day'"
    }
  }),
  ...guards("src/store/accounts/Customers.ts", "test/postgres/accounts/Finding.pg.test.ts", {
    "two requests put a customer twice": {
      "where ${ofAccount(sql, account)} for no key update`": "where ${ofAccount(sql, account)}`"
    },
    "one of two customers of an identification is replaced": {
      "known !== undefined && other !== undefined": "known !== undefined && other === null"
    }
  }),
  ...guards("src/commands/parties/Accounts.ts", "test/http/routes/AccountUpdate.pg.test.ts", {
    "the first issuer of a live mode may be sent in part": {
      "issuerFields.every((field) => issuer[field] !== undefined)":
        "issuerFields.some((field) => issuer[field] !== undefined)"
    }
  }),
  ...guards("src/domain/accounts/ResolutionRules.ts", "test/domain/accounts/ResolutionRules.test.ts", {
    "ranges of two prefixes are not compared": {
      "if (!longHead.startsWith(head)) return false": "if (longHead !== head) return false"
    },
    "a number with a leading zero is taken for one": { "/^[1-9]\\d*$/.test(between)": "/^\\d+$/.test(between)" }
  }),
  ...guards("migrations/0001_schema/5_documents.sql", "test/store/documents/FullNumbers.pg.test.ts", {
    "a code of one account stands in the way of another's": {
      "on invoices (cufe, account_id, livemode) where": "on invoices (cufe) where"
    }
  }),
  ...guards("src/outbound/authority/AuthoritySandbox.ts", "test/outbound/authority/AuthoritySandbox.test.ts", {
    "the simulated authority knows a document by its code alone": { "`${account_id}|${livemode}|${cufe}`": "cufe" }
  }),
  ...guards("src/store/accounts/Resolutions.ts", "test/postgres/issuing/RangesOfNotes.pg.test.ts", {
    "the service's own counter goes before the ranges that the account registered": {
      "held_since is not null, registered desc, id limit 1": "held_since is not null, registered, id limit 1"
    }
  }),
  ...guards("src/issuing/Numbering.ts", "test/http/routes/Resolutions.pg.test.ts", {
    "a document is created after the last number of its range": {
      "row?.full_number === lastOf(range)": "row?.full_number === range.prefix"
    }
  }),
  ...guards("src/commands/documents/Invoices.ts", "test/http/routes/Resolutions.pg.test.ts", {
    "an invoice is created that no range gives a number": { "...(hasRange ? []": "...(true ? []" }
  }),
  ...guards("src/commands/documents/Invoices.ts", "test/http/routes/RangeReads.test.ts", {
    "each invoice that is created looks for its range": { "...(hasRange ? []": "...(false ? []" }
  }),
  ...guards("src/store/accounts/NoteCounters.ts", "test/http/notes/RangesOfNotes.pg.test.ts", {
    "an account that has put its ranges of notes away has no counter": {
      "!range.registered || (range.is_active &&": "!range.registered || (true &&"
    }
  }),
  ...guards("src/store/accounts/Resolutions.ts", "test/domain/accounts/ResolutionRules.test.ts", {
    "there may be any number of ranges": { ".length >= resolutionsMax": ".length >= Infinity" }
  }),
  ...guards("schemas/Money.ts", "test/postgres/issuing/IssueDates.full.test.ts", {
    "a date may be of a year that the XML does not know": { "(19|20|21)\\d{2}-": "\\d{4}-" },
    "a time may be of a year that the database does not know": { "time >= Date.parse(first) && time <=": "time <=" }
  }),
  ...guards("src/store/accounts/Customers.ts", "test/store/accounts/Limits.pg.test.ts", {
    "customers are counted without a lock": {
      "order by account_id, livemode for no key update": "order by account_id, livemode"
    },
    "a replay of a customer counts for the limit": {
      "partition by n.account_id, n.livemode, k.value is null order by":
        "partition by n.account_id, n.livemode order by"
    }
  }),
  ...guards("src/store/sql/Retention.ts", "test/store/accounts/Limits.pg.test.ts", {
    "a key goes while an answer is kept for it": {
      " and not exists (select from idempotency_keys i where i.api_key_id = api_keys.id)": ""
    }
  }),
  ...guards("migrations/0001_schema/2_accounts.sql", "test/store/accounts/Limits.pg.test.ts", {
    "a key that works may be removed": {
      "< now() - interval '1 day') is not true)": "< now() - interval '1 day') is unknown and false)"
    }
  }),
  ...guards("src/store/webhooks/NewDeliveries.ts", "test/store/accounts/Limits.pg.test.ts", {
    "deliveries wait for an endpoint without a limit": {
      "case when w.full_since is null then 'pending' else 'failed' end": "'pending'"
    }
  }),
  ...guards("src/store/webhooks/Deliveries.ts", "test/store/accounts/Limits.pg.test.ts", {
    "an endpoint that has room again is not known to have it": {
      "where w.full_since is not null and not exists": "where false and not exists"
    }
  }),
  ...guards("src/store/accounts/ApiKeys.ts", "test/store/accounts/ApiKeys.pg.test.ts", {
    "a key that was revoked makes its successor": { "if (by === undefined) return": "if (by !== null) return" }
  }),
  ...guards("src/settings/Limits.ts", "test/postgres/accounts/CommandTurns.pg.test.ts", {
    "an account's commands take as many connections as all may": { "ofOwnerAtOnce: 2,": "ofOwnerAtOnce: 6," }
  }),
  ...guards("src/commands/Command.ts", "test/http/limits/CommandTurns.test.ts", {
    "a command begins its transaction without a turn": {
      "turns.inTurn(account, context, keys.once(account, claim, effect, options))":
        "keys.once(account, claim, effect, options)"
    }
  }),
  ...guards("src/store/sandbox/SandboxAuthorities.ts", "test/store/sandbox/SandboxAuthorities.pg.test.ts", {
    "two processes give out one script": { "where ${own(account_id)} for update`": "where ${own(account_id)}`" },
    "notes take their scripts before invoices": { "order by split_part(id, '_', 2)": "order by id" },
    "new scripts take away what earlier documents are due": {
      "      yield* giveScripts(account_id)\n      return": "      return"
    }
  }),
  ...guards("src/store/sandbox/ClockJumps.ts", "test/store/sandbox/SandboxAuthorities.pg.test.ts", {
    "a jump of the clock rewrites what rests": {
      "waits: sql`next_action_at < 'infinity' and": "waits: sql`next_action_at is not null and"
    },
    "a jump of the clock locks all that waits": { "order by id limit ${portionMax}": "order by id limit 1000000" }
  }),
  ...guards("src/commands/Sandbox.ts", "test/http/routes/TestHelpers.pg.test.ts", {
    "a great jump of the clock that is repeated is made again": { "    isBeforeLong: true,\n": "" }
  }),
  ...guards("src/documents/signature/Pkcs12.ts", "test/documents/signature/Pkcs12.test.ts", {
    "a key may have any number of bits": { "answer.bits > keyBitsMax": "answer.bits > Infinity" }
  })
]
