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
  }
]
