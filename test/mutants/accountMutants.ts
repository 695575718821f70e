import type { Mutant } from "./mutants.ts"

/** Guards of what an account is and may have. */
export const accountMutants: ReadonlyArray<Mutant> = [
  {
    name: "a change of the account holds in both of its modes",
    file: "src/store/Accounts.ts",
    find: "sql`account_id = ${of.account_id} and livemode = ${of.livemode}`",
    replace: "sql`account_id = ${of.account_id} and not livemode`",
    tests: ["test/account.pg.test.ts"]
  },
  {
    name: "a live mode without an issuer issues",
    file: "src/entities/LiveReadiness.ts",
    find: "...(issuer === null ? [issuerLack] : []),",
    replace: "",
    tests: ["test/http/AccountUpdate.test.ts"]
  },
  {
    name: "the first issuer of a live mode may be sent in part",
    file: "src/entities/AdministrationWork.ts",
    find: "issuerFields.every((field) => issuer[field] !== undefined)",
    replace: "issuerFields.some((field) => issuer[field] !== undefined)",
    tests: ["test/http/AccountUpdate.test.ts"]
  },
  {
    name: "ranges of two prefixes are not compared",
    file: "src/domain/ResolutionRules.ts",
    find: "if (!long.prefix.startsWith(short.prefix)) return false",
    replace: "if (long.prefix !== short.prefix) return false",
    tests: ["test/domain/ResolutionRules.test.ts"]
  },
  {
    name: "a number with a leading zero is taken for one",
    file: "src/domain/ResolutionRules.ts",
    find: "/^[1-9]\\d*$/.test(between)",
    replace: "/^\\d+$/.test(between)",
    tests: ["test/domain/ResolutionRules.test.ts"]
  },
  {
    name: "a code of one account stands in the way of another's",
    file: "migrations/0018_full_numbers.ts",
    find: "on invoices (cufe, account_id, livemode) where",
    replace: "on invoices (cufe) where",
    tests: ["test/store/FullNumbers.pg.test.ts"]
  },
  {
    name: "the simulated authority knows a document by its code alone",
    file: "src/outbound/AuthoritySandbox.ts",
    find: "`${account_id}|${livemode}|${cufe}`",
    replace: "cufe",
    tests: ["test/outbound/AuthoritySandbox.test.ts"]
  },
  {
    name: "there may be any number of ranges",
    file: "src/store/Resolutions.ts",
    find: ".length >= resolutionsMax",
    replace: ".length >= Infinity",
    tests: ["test/domain/ResolutionRules.test.ts"]
  },
  {
    name: "a range may begin in a year that the database does not know",
    file: "schemas/Money.ts",
    find: "(date) => date >= first,",
    replace: "() => true,",
    tests: ["test/dates.pg.test.ts"]
  },
  {
    name: "a time may be of a year that the database does not know",
    file: "schemas/Money.ts",
    find: "time >= Date.parse(first) && time <=",
    replace: "time <=",
    tests: ["test/dates.pg.test.ts"]
  },
  {
    name: "customers are counted without a lock",
    file: "src/store/Customers.ts",
    find: "order by account_id, livemode for no key update",
    replace: "order by account_id, livemode",
    tests: ["test/store/Limits.pg.test.ts"]
  },
  {
    name: "a replay of a customer counts for the limit",
    file: "src/store/Customers.ts",
    find: "partition by n.account_id, n.livemode, k.value is null order by",
    replace: "partition by n.account_id, n.livemode order by",
    tests: ["test/store/Limits.pg.test.ts"]
  },
  {
    name: "a key goes while an answer is kept for it",
    file: "src/store/Retention.ts",
    find: "and not exists (select from idempotency_keys i where i.api_key_id = k.id)",
    replace: "",
    tests: ["test/store/Limits.pg.test.ts"]
  },
  {
    name: "a key that works may be removed",
    file: "migrations/0019_limits.ts",
    find: "< now() - interval '1 day') is not true)",
    replace: "< now() - interval '1 day') is unknown and false)",
    tests: ["test/store/Limits.pg.test.ts"]
  },
  {
    name: "deliveries wait for an endpoint without a limit",
    file: "src/store/NewDeliveries.ts",
    find: "case when w.full_since is null then 'pending' else 'failed' end",
    replace: "'pending'",
    tests: ["test/store/Limits.pg.test.ts"]
  },
  {
    name: "an endpoint that has room again is not known to have it",
    file: "src/store/DeliveryLimit.ts",
    find: "where w.full_since is not null and not exists",
    replace: "where false and not exists",
    tests: ["test/store/Limits.pg.test.ts"]
  },
  {
    name: "a key that was revoked makes its successor",
    file: "src/store/ApiKeys.ts",
    find: "if (by === undefined) return",
    replace: "if (by !== null) return",
    tests: ["test/store/ApiKeys.pg.test.ts"]
  },
  {
    name: "an account's commands take as many connections as all may",
    file: "src/entities/CommandTurns.ts",
    find: "ofOwnerAtOnce: 2,",
    replace: "ofOwnerAtOnce: 6,",
    tests: ["test/commandTurns.pg.test.ts"]
  },
  {
    name: "a command begins its transaction without a turn",
    file: "src/entities/Account.ts",
    find: "once(context, turns.inTurn(of, context, run))",
    replace: "once(context, run)",
    tests: ["test/http/CommandTurns.test.ts"]
  },
  {
    name: "a jump of the clock rewrites what rests",
    file: "src/store/SandboxAuthorities.ts",
    find: "waits: sql`next_action_at < 'infinity' and",
    replace: "waits: sql`next_action_at is not null and",
    tests: ["test/store/SandboxAuthorities.pg.test.ts"]
  },
  {
    name: "a jump of the clock locks all that waits",
    file: "src/store/SandboxAuthorities.ts",
    find: "order by id limit ${portionMax}",
    replace: "order by id limit 1000000",
    tests: ["test/store/SandboxAuthorities.pg.test.ts"]
  },
  {
    name: "a great jump of the clock that is repeated is made again",
    file: "src/entities/SandboxWork.ts",
    find: "claim === null ? Option.none() : yield* keys.lookup(claim)",
    replace: "Option.none()",
    tests: ["test/http/AdvanceClock.test.ts"]
  }
]
