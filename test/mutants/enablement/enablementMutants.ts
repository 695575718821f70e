import { guards, type Mutant } from "../Mutant.ts"

const inService = "test/postgres/enablement/Enablement.full.test.ts"

/** Guards of test sets: each document is sent once, each number is taken once, and a test set that cannot pass ends. */
export const enablementMutants: ReadonlyArray<Mutant> = [
  ...guards("src/invoices/enablement/TestDocumentSteps.ts", inService, {
    "a test document that may have arrived is sent again": {
      'outcome._tag === "answered" || mayHaveLeft(error)': 'outcome._tag === "answered"'
    },
    "a processed number counts before its code is queried": {
      "isUsed && !isByCode": "false && !isByCode"
    }
  }),
  ...guards("src/invoices/store/TestDocuments.ts", inService, {
    "the numbers of other test sets are reused": {
      "where ${live(account_id)} and prefix = ${prefix} order by number":
        "where ${live(account_id)} and prefix = ${prefix} and false order by number"
    },
    "two processes send one test document": { " and version = ${version}\n": "\n" }
  }),
  ...guards("src/invoices/rules/Plan.ts", "test/invoices/rules/Plan.test.ts", {
    "a test set continues although the same rules failed again": {
      "(before && sameRules(last, before))": "false"
    },
    "notes are created before the first invoice": { 'kind !== "invoice" && !hasInvoice': "false" },
    "numbers of another system are tried one by one": { "2 ** Math.max(used - 1, 0)": "1" }
  }),
  ...guards("migrations/0001_schema/7_service.sql", "test/database/Fences.pg.test.ts", {
    "a number of a test set can be returned": {
      "grant select, insert,\n  update (version, state, signed,":
        "grant select, insert, delete,\n  update (version, state, signed,"
    }
  }),
  ...guards("src/invoices/enablement/TestSetWork.ts", "test/invoices/enablement/Enabling.pg.test.ts", {
    "a test set fails while its signer fails": {
      'if (error._tag === "SigningUnavailable") return yield* waits(set, "signer_unavailable", error.message)':
        'if (error._tag === "SigningUnavailable") return failed(lacking("account_not_ready", error.message))'
    }
  })
]
