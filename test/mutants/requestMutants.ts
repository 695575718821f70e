import type { Mutant } from "./mutants.ts"

const validation = "src/http/Validation.ts"
const violations = "src/domain/Violations.ts"
const limits = ["test/http/RequestLimits.test.ts"]
const turns = ["test/http/RequestTurns.test.ts"]

/** Guards of how much one request may ask for, and be told. */
export const requestMutants: ReadonlyArray<Mutant> = [
  {
    name: "request: a list is counted after its items",
    file: validation,
    find: "return Array.isArray(value) && value.length > max",
    replace: "return Array.isArray(value) && value.length > max * 1e6",
    tests: limits
  },
  {
    name: "request: a record is counted after its values",
    file: validation,
    find: "isObject(value) && Object.keys(value).length > max",
    replace: "isObject(value) && Object.keys(value).length > max * 1e6",
    tests: limits
  },
  {
    name: "request: faults are looked for beyond those told",
    file: validation,
    find: "return this.violations.length > violationsMax",
    replace: "return this.violations.length > 1e6",
    tests: limits
  },
  {
    name: "request: all faults are told",
    file: violations,
    find: "index === violationsMax || ",
    replace: "",
    tests: limits
  },
  {
    name: "request: faults are told however long they are",
    file: violations,
    find: " || (index > 0 && bytes > bytesMax)",
    replace: "",
    tests: limits
  },
  {
    name: "request: a name comes back however long it is",
    file: "src/http/SchemaErrors.ts",
    find: "name.length > nameMax ?",
    replace: "name.length > 1e6 ?",
    tests: limits
  },
  {
    name: "request: nobody is told that there is more",
    file: violations,
    find: "{ errors: violations.slice(0, end), has_more_errors: true }",
    replace: "{ errors: violations.slice(0, end) }",
    tests: limits
  },
  {
    name: "request: rules are looked for in every line",
    file: "src/domain/LocalRules.ts",
    find: "if (violations.length > violationsMax) return violations",
    replace: "if (violations.length > 1e6) return violations",
    tests: ["test/domain/InvoiceRules.test.ts"]
  },
  {
    name: "request: the router ends a path at a semicolon",
    file: "src/http/Path.ts",
    find: "/[;#]/.test",
    replace: "/[#]/.test",
    tests: limits
  },
  {
    name: "request: an object of any number of members is read",
    file: "src/domain/StrictJson.ts",
    find: "> membersMax) return tooWide",
    replace: "> 1e6) return tooWide",
    tests: ["test/domain/StrictJson.test.ts"]
  },
  {
    name: "request: any number of objects is read",
    file: "src/domain/StrictJson.ts",
    find: "++objects > objectsMax) return tooMany",
    replace: "++objects > 1e6) return tooMany",
    tests: ["test/domain/StrictJson.test.ts"]
  },
  {
    name: "request: a list of any length is gone through in one turn",
    file: "src/protocol/Turns.ts",
    find: "performance.now() - began < turnMs",
    replace: "performance.now() > 0",
    tests: ["test/protocol/Turns.test.ts"]
  },
  {
    name: "request: U+0000 goes to the database where any text will do",
    file: "src/http/Validation.ts",
    find: 'value.includes("\\0")',
    replace: "false",
    tests: ["test/http/BadInput.test.ts"]
  },
  {
    name: "request: a key that ended while the body came is not looked for again",
    file: "src/http/Conventions.ts",
    find: "      yield* yield* KeyStillWorks\n",
    replace: "",
    tests: ["test/http/ApiKeys.test.ts"]
  },
  {
    name: "request: a command works on a whole document without a turn",
    file: "src/http/Conventions.ts",
    find: 'if (work === null || work === "sent") return',
    replace: "if (bytes.length >= 0) return",
    tests: turns
  },
  {
    name: "request: an invoice that is annulled is as small as its answer",
    file: "src/http/Ask.ts",
    find: "exchange.document_bytes = answered.document_bytes",
    replace: "",
    tests: turns
  },
  {
    name: "request: nobody rests for what is done with a document that was sent",
    file: "src/http/RequestTurns.ts",
    find: "isSent && Exit.isSuccess(exit) ?",
    replace: "Exit.isFailure(exit) && Exit.isSuccess(exit) ?",
    tests: turns
  },
  {
    name: "request: a read that finds nothing may go through all rows all the time",
    file: "src/http/RequestTurns.ts",
    find: "Math.max(restMs, Math.min(slowMs, slowRead.restMsMax))",
    replace: "restMs",
    tests: turns
  }
]
