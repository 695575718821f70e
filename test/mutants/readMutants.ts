import type { Mutant } from "./mutants.ts"

const pages = "src/store/Pages.ts"
const turns = "src/protocol/AccountTurns.ts"
const requestTurns = "src/http/RequestTurns.ts"
const printing = "src/entities/Printing.ts"

/** Guards of what is dear to answer: large pages, printed documents, certificates. */
export const readMutants: ReadonlyArray<Mutant> = [
  {
    name: "a page is as large as its objects are",
    file: pages,
    find: "where c.page_place = 1 or m.bytes <= ${pageBytesMax}::bigint",
    replace: "where true",
    tests: ["test/answerSizes.pg.test.ts"]
  },
  {
    name: "a page that ends early says that there is no more",
    file: pages,
    find: "(rows[0]?.page_found ?? 0) > rows.length",
    replace: "(rows[0]?.page_found ?? 0) > 100",
    tests: ["test/answerSizes.pg.test.ts"]
  },
  {
    name: "a list of e-mails shows every archive",
    file: "src/http/Paging.ts",
    find: "return isFirst || bytes <= pageBytesMax",
    replace: "return isFirst || bytes > 0",
    tests: ["test/answerSizes.pg.test.ts"]
  },
  {
    name: "all headers of an answer to a webhook are kept",
    file: "src/outbound/WebhookSender.ts",
    find: "Buffer.byteLength(value)) <= maxRecordedBytes)",
    replace: "Buffer.byteLength(value)) > 0)",
    tests: ["test/outbound/WebhookSenderLimits.test.ts"]
  },
  {
    name: "turns are first come, first served",
    file: "src/protocol/FairQueue.ts",
    find: "if (lines.size > 0) this.owners.set(owner, lines)",
    replace: "if (lines.size > 0) this.owners = new Map([[owner, lines], ...this.owners])",
    tests: ["test/protocol/AccountTurns.test.ts"]
  },
  {
    name: "one account may have all turns",
    file: turns,
    find: "(underWay.get(owner) ?? 0) < ofOwnerAtOnce",
    replace: "owner !== ''",
    tests: ["test/protocol/AccountTurns.test.ts"]
  },
  {
    name: "as much as comes may wait for a turn",
    file: turns,
    find: "if (own >= waiting.ofOwner)",
    replace: "if (own < 0)",
    tests: ["test/protocol/AccountTurns.test.ts"]
  },
  {
    name: "who gave up waiting keeps the turn",
    file: turns,
    find: "queue.remove(owner, asker, turn)",
    replace: "",
    tests: ["test/protocol/AccountTurns.test.ts"]
  },
  {
    name: "nobody rests after a turn",
    file: turns,
    find: "if (restMs > 0) resting.set(owner, (owed ?? 0) + restMs)",
    replace: "",
    tests: ["test/protocol/AccountTurns.test.ts"]
  },
  {
    name: "large answers may be asked for all the time",
    file: requestTurns,
    find: "Exit.isSuccess(exit) ? bytes(exit.value) :",
    replace: "Exit.isSuccess(exit) ? 0 :",
    tests: ["test/http/RequestTurns.test.ts"]
  },
  {
    name: "who hangs up may ask for large answers all the time",
    file: requestTurns,
    find: "Cause.hasInterrupts(exit.cause) ? largest : 0",
    replace: "Cause.hasInterrupts(exit.cause) ? 0 : 0",
    tests: ["test/http/RequestTurns.test.ts"]
  },
  {
    name: "all other accounts together keep one out of the line",
    file: turns,
    find: "queue.size >= waiting.inAll && own > 0",
    replace: "queue.size >= waiting.inAll",
    tests: ["test/protocol/AccountTurns.test.ts"]
  },
  {
    name: "an account's own flood is called an overload of the service",
    file: turns,
    find: "            mayBegin(owner)\n",
    replace: "            owner !== ''\n",
    tests: ["test/protocol/AccountTurns.test.ts"]
  },
  {
    name: "bodies that are dear to refuse may be sent all the time",
    file: requestTurns,
    find: "document.sent : restMsOfKib.body)",
    replace: "document.sent : 0)",
    tests: ["test/http/RequestTurns.test.ts"]
  },
  {
    name: "an account reads as much at a time as it asks for",
    file: "src/http/Conventions.ts",
    find: "if (isRead) {",
    replace: "if (isRead && bytes.length > 0) {",
    tests: ["test/http/RequestTurns.test.ts"]
  },
  {
    name: "an account has as many large bodies read at a time as it sends",
    file: "src/http/Conventions.ts",
    find: "const isSmall = bytes.length <= smallBytesMax",
    replace: "const isSmall = bytes.length >= 0",
    tests: ["test/http/RequestTurns.test.ts"]
  },
  {
    name: "an account follows its events without a turn",
    file: "src/http/Events.ts",
    find: "yield* turns.read(of, inTime(events.after(of, position, filter, limit)), bytes)",
    replace: "yield* inTime(events.after(of, position, filter, limit))",
    tests: ["test/http/RequestTurns.test.ts"]
  },
  {
    name: "threads that print are as urgent as the event loop",
    file: "src/documents/PrintWorker.ts",
    find: "setPriority(constants.priority.PRIORITY_BELOW_NORMAL)",
    replace: "setPriority(constants.priority.PRIORITY_NORMAL)",
    tests: ["test/documents/Printer.test.ts"]
  },
  {
    name: "who opens a link waits with the account's keys",
    file: "src/http/Files.ts",
    find: 'sent["authorization"] === undefined ? network : api_key_id',
    replace: '""',
    tests: ["test/http/FileTurns.test.ts"]
  },
  {
    name: "all certificates are read at once",
    file: "src/entities/CertificateWork.ts",
    find: "yield* inTurn({ owner: of.account_id, asker: context.api_key_id }, read)",
    replace: "yield* read",
    tests: ["test/http/CertificateTurns.test.ts"]
  },
  {
    name: "each request prints the document anew",
    file: printing,
    find: "pending.get(name) ?? (yield* begin(of, name, tag, make))",
    replace: "yield* begin(of, name, tag, make)",
    tests: ["test/entities/Printing.test.ts"]
  },
  {
    name: "what is printed is kept without end",
    file: "src/domain/ByteCache.ts",
    find: "if (this.total <= this.max) return",
    replace: "if (oldest !== '') return",
    tests: ["test/entities/Printing.test.ts"]
  },
  {
    name: "a key file may ask for any number of iterations",
    file: "src/documents/Pkcs12Worker.ts",
    find: "if (!(iterations <= iterationsMax)) throw",
    replace: "if (!(iterations <= Infinity)) throw",
    tests: ["test/documents/Pkcs12.test.ts"]
  },
  {
    name: "a PDF tells of itself in XML as it comes",
    file: "src/documents/PrintedSheet.ts",
    find: 'entities[character] ?? "") : text',
    replace: "character) : text",
    tests: ["test/documents/Pdf.test.ts"]
  },
  {
    name: "a PDF's title holds control characters",
    file: "src/documents/PrintedSheet.ts",
    find: 'text.toWellFormed().replaceAll(/[\\p{Cc}\\ufffe\\uffff]+/gu, " ")',
    replace: "text",
    tests: ["test/documents/Pdf.test.ts"]
  },
  {
    name: "who waits for one object looks at every event of the account",
    file: "src/store/Events.ts",
    find: "(n.object_id = '' or e.object_id = n.object_id)",
    replace: "true",
    tests: ["test/store/Events.pg.test.ts"]
  },
  {
    name: "an inactive endpoint is sent samples, which wait for ever",
    file: "src/store/Redelivery.ts",
    find: "if (!is_active) return yield* inactive",
    replace: "",
    tests: ["test/store/Redelivery.pg.test.ts"]
  },
  {
    name: "a full endpoint is sent samples",
    file: "src/store/Redelivery.ts",
    find: "if (is_full) return yield* full",
    replace: "",
    tests: ["test/store/Redelivery.pg.test.ts"]
  },
  {
    name: "the sandbox remembers each document that it was flaky with",
    file: "src/outbound/AuthoritySandbox.ts",
    find: "      failures.delete(key)\n",
    replace: "",
    tests: ["test/outbound/AuthoritySandbox.test.ts"]
  },
  {
    name: "a thread that reads a key file is as urgent as the event loop",
    file: "src/documents/Pkcs12Worker.ts",
    find: "setPriority(constants.priority.PRIORITY_BELOW_NORMAL)",
    replace: "setPriority(constants.priority.PRIORITY_NORMAL)",
    tests: ["test/documents/Pkcs12.test.ts"]
  },
  {
    name: "one account's e-mails go before everybody's",
    file: "src/entities/EmailWork.ts",
    find: "turns.withPermits(key.account_id, 1)",
    replace: 'turns.withPermits("", 1)',
    tests: ["test/entities/Email.test.ts"]
  },
  {
    name: "a document may be e-mailed without end",
    file: "src/store/Emails.ts",
    find: ") < ${emailsMax}",
    replace: ") >= 0",
    tests: ["test/store/Limits.pg.test.ts"]
  },
  {
    name: "an account may have a new issuer all the time",
    file: "src/store/Accounts.ts",
    find: "if (Option.isSome(wait)) return yield* issuerChangedTooOften(wait.value.seconds)",
    replace: "",
    tests: ["test/store/Accounts.pg.test.ts"]
  }
]
