import { guards, type Mutant } from "./Mutant.ts"

/** Guards of expensive work: large pages, printed documents, certificates, and fair turns. */
export const readMutants: ReadonlyArray<Mutant> = [
  ...guards("src/database/Pages.ts", "test/postgres/requests/AnswerSizes.full.test.ts", {
    "a page has no size limit": {
      "where c.page_place = 1 or m.bytes <= ${pageBytesMax}::bigint": "where true"
    },
    "a page that ends early reports no further page": {
      "(rows[0]?.page_found ?? 0) > rows.length": "(rows[0]?.page_found ?? 0) > 100"
    }
  }),
  ...guards("src/http/request/Paging.ts", "test/postgres/requests/AnswerSizes.full.test.ts", {
    "a list of emails shows every archive": {
      "return isFirst || bytes <= pageBytesMax": "return isFirst || bytes > 0"
    }
  }),
  ...guards("src/webhooks/sender/WebhookSender.ts", "test/webhooks/sender/WebhookSenderLimits.test.ts", {
    "all headers of a webhook response are stored": {
      "Buffer.byteLength(value)) <= maxRecordedBytes)": "Buffer.byteLength(value)) > 0)"
    }
  }),
  ...guards("src/runtime/turns/Turns.ts", "test/runtime/turns/AccountTurns.test.ts", {
    "turns are first come, first served": {
      "if (lines.size > 0) this.owners.set(owner, lines)":
        "if (lines.size > 0) this.owners = new Map([[owner, lines], ...this.owners])"
    }
  }),
  ...guards(
    "src/runtime/turns/Turns.ts",
    ["test/runtime/turns/Turns.test.ts", "test/runtime/turns/AccountTurns.test.ts"],
    {
      "one account can hold all turns": {
        "!resting.has(owner) && underWay.of(owner) < ofOwnerAtOnce": "!resting.has(owner)"
      },
      "one account takes the free turns of all": {
        "atOnce - inAll, ofOwnerAtOnce - underWay.of(owner)": "atOnce - inAll"
      },
      "a released turn is not passed on": {
        "    count(owner, -turns)\n    dispatch()": "    count(owner, -turns)"
      },
      "an account that waits for its own turns delays others": { "waiting.take(mayBegin)": "waiting.take(() => true)" },
      "an interrupted waiter keeps the turn": {
        "end(owner) : waiting.remove(owner, asker, turn)": "end(owner) : undefined"
      },
      "a waiter that timed out keeps the turn": {
        "          waiting.remove(owner, asker, turn)\n          return Effect.succeed(false)":
          "          return Effect.succeed(false)"
      },
      "no account pauses after a turn": { "resting.set(owner, (owed ?? 0) + ms)": "" }
    }
  ),
  ...guards("src/runtime/turns/AccountTurns.ts", "test/runtime/turns/AccountTurns.test.ts", {
    "the queue for turns has no limit": { "if (own >= options.waiting.ofOwner)": "if (own < 0)" },
    "the wait for a turn has no limit": { "delayMs(before, now) > maxDelayMs": "own < 0" },
    "the estimated wait counts only the account's own turns": {
      "const before = waiting.before(owner)": "const before = own"
    },
    "a late turn does not change the measured rate": { "now - latest < stallMs ? now : latest": "latest" },
    "a stall changes the measured rate of turns": {
      "now - (times.at(-1) ?? now) >= stallMs ? [now] : [...times": "[...times"
    },
    "all other accounts together keep one account out of the queue": {
      "waiting.size >= options.waiting.inAll && own > 0": "waiting.size >= options.waiting.inAll"
    },
    "an account's own flood is reported as a service overload": {
      "turns.mayBegin(owner) ? refusals.late": "owner !== '' ? refusals.late"
    }
  }),
  ...guards("src/database/SlowReads.ts", "test/postgres/requests/SlowReads.full.test.ts", {
    "slow reads can use every connection": { "atOnce: slowMax": "atOnce: connectionsMax" },
    "a statement time-out fails like any other error": {
      "Effect.fail(tooSlow(narrow, slowMs))": 'Effect.fail(new ApiError({ code: "internal_error", message: "" }))'
    }
  }),
  ...guards("src/http/request/Pipeline.ts", "test/http/limits/RequestTurns.test.ts", {
    "creations take no turns": {
      "if (isCreation && isSmall) return": "if (isCreation && bytes.length < 0) return",
      "if (isCreation) return yield* turns.create(principal, answer)": ""
    },
    "a creation is parsed before it waits": {
      "yield* Effect.tapError(turns.admit(principal), () => note)": "yield* note"
    }
  }),
  ...guards("src/invoices/Backpressure.ts", "test/invoices/Backpressure.test.ts", {
    "one account's documents use another account's capacity": { "own === 0 || (own": "(own" },
    "an account can create while its drafts are late": { "lateMs(account) > lateMaxMs": "lateMs(account) < 0" },
    "creations do not wait for late drafts": { "lateMs(account) <= slowFromMs": "lateMs(account) >= 0" }
  }),
  ...guards("src/http/limits/RequestTurns.ts", "test/http/limits/RequestTurns.test.ts", {
    "creations that wait for late drafts hold turns": {
      "Effect.andThen(backpressure.caughtUp(principal), inTurnOfCreation(asker(principal), create))":
        "inTurnOfCreation(asker(principal), Effect.andThen(backpressure.caughtUp(principal), create))"
    }
  }),
  ...guards("src/runtime/PortCall.ts", "test/runtime/PortCall.test.ts", {
    "an effect runs past its deadline": {
      "        fiber.interruptUnsafe()\n      })\n      const": "      })\n      const"
    },
    "an effect outlives its interrupted caller": {
      "        timer?.interruptUnsafe()\n        fiber.interruptUnsafe()": "        timer?.interruptUnsafe()"
    }
  }),
  ...guards("src/accounts/AccountEntity.ts", "test/runtime/LocalAccounts.test.ts", {
    "an actor without messages is called until it ends": { "< messageEveryMs": "< Infinity" },
    "the end of an earlier actor removes the later one": { "all.get(address) === local &&": "all.has(address) &&" }
  }),
  ...guards("src/runtime/telemetry/EventLoop.ts", "test/runtime/telemetry/EventLoop.test.ts", {
    "accounts that are as busy as each other have short turns": { "tasks.length * 2 > ready": "tasks.length > 0" },
    "the fibers of one account precede those of another": {
      "sharedUntil ? lane : common": "sharedUntil ? common : common"
    },
    "work without an account precedes the work of all accounts": {
      "lanes.has(common) && (!wasCommon || lanes.size === 1)": "lanes.has(common)"
    },
    "ready fibers starve the reading of sockets": {
      "now < sharedUntil ? now + (isFlooded() ? sliceOfFloodMs : sliceMs) : Infinity": "Infinity"
    },
    "a single active account has time slices": {
      "now < sharedUntil ? now + (isFlooded() ? sliceOfFloodMs : sliceMs) : Infinity": "now + sliceOfFloodMs"
    },
    "an idle process delays a statement to batch rows": {
      "if (ready <= readyMax) return resume(Effect.void)": "if (ready < 0) return resume(Effect.void)"
    },
    "a neighbour's statement waits for a flood's rows": {
      "isFlooded() ? fibersOfFlood : ready * rounds": "isFlooded() ? ready * rounds : ready * rounds"
    }
  }),
  ...guards("src/database/Batcher.ts", "test/runtime/telemetry/EventLoop.test.ts", {
    "all items of a batch resume in one turn of the event loop": {
      "Effect.tap(Deferred.await(answer), Effect.yieldNow)": "Deferred.await(answer)"
    },
    "a busy process does not batch rows into a statement": {
      "        yield* readyFibersRun\n": ""
    }
  }),
  ...[
    "src/http/request/Authentication.ts",
    "src/invoices/Numbering.ts",
    "src/invoices/Executor.ts",
    "src/accounts/AccountActor.ts"
  ].flatMap((file) =>
    guards(file, "test/http/limits/AccountLanes.test.ts", {
      [`${file} works outside of the account's lane`]: { "inLane(": "((_: unknown) => <A>(effect: A) => effect)(" }
    })
  ),
  ...guards("src/http/limits/RequestTurns.ts", "test/http/limits/RequestTurns.test.ts", {
    "requests for large responses have no limit": {
      "Exit.isSuccess(exit) ? bytes(exit.value) :": "Exit.isSuccess(exit) ? 0 :"
    },
    "requests for large responses have no limit for a client that disconnects": {
      "Cause.hasInterrupts(exit.cause) ? largest : 0": "Cause.hasInterrupts(exit.cause) ? 0 : 0"
    },
    "bodies that are expensive to reject have no limit": {
      "document.sent : restMsOfKib.body)": "document.sent : 0)"
    }
  }),
  ...guards("src/http/request/Pipeline.ts", "test/http/limits/RequestTurns.test.ts", {
    "the bytes that an account reads concurrently have no limit": {
      "if (isRead) return": "if (isRead && bytes.length > 0) return"
    },
    "the large bodies of an account that are read concurrently have no limit": {
      "const isSmall = bytes.length <= smallBytesMax": "const isSmall = bytes.length >= 0"
    }
  }),
  ...guards("src/http/routes/EventRoutes.ts", "test/http/limits/RequestTurns.test.ts", {
    "an account follows its events without a turn": {
      "yield* turns.read(principal, inTime(events.after(principal, position, filter, limit)), bytes)":
        "yield* inTime(events.after(principal, position, filter, limit))"
    }
  }),
  ...guards("src/documents/print/PrintWorker.ts", "test/documents/print/Printer.test.ts", {
    "printing threads have the event loop's priority": {
      "setPriority(5)": "setPriority(0)"
    }
  }),
  ...guards("src/http/routes/FileRoutes.ts", "test/http/limits/FileTurns.test.ts", {
    "opening a link waits behind the account's keys": {
      'sent["authorization"] === undefined ? yield* network : api_key_id': '""'
    }
  }),
  ...guards("src/accounts/commands/CertificateCommands.ts", "test/http/limits/CertificateTurns.test.ts", {
    "all certificates are read concurrently": {
      "yield* inTurn({ owner: account.account_id, asker: context.api_key_id }, read)": "yield* read"
    }
  }),
  ...guards("src/documents/print/Printing.ts", "test/documents/print/Printing.test.ts", {
    "each request prints the document again": {
      "pending.get(name) ?? (yield* begin(account, name, tag, make))": "yield* begin(account, name, tag, make)"
    }
  }),
  ...guards("src/documents/print/Printing.ts", "test/documents/print/Printing.test.ts", {
    "printed documents are cached without a limit": {
      "if (this.total <= this.max) return": "if (oldest !== '') return"
    }
  }),
  ...guards("src/documents/signature/Pkcs12Worker.ts", "test/documents/signature/Pkcs12.test.ts", {
    "a key file has no limit of iterations": {
      "if (!(iterations <= iterationsMax)) throw": "if (!(iterations <= Infinity)) throw"
    },
    "a thread that reads a key file has the event loop's priority": {
      "setPriority(5)": "setPriority(0)"
    }
  }),
  ...guards("src/documents/print/PdfFoot.ts", "test/documents/print/Picture.test.ts", {
    "a QR code is too fine for a low resolution": { "const moduleSize = 2 * dot": "const moduleSize = 0.8 * dot" }
  }),
  ...guards("src/documents/print/PrintFonts.ts", "test/documents/print/Pdf.test.ts", {
    "a PDF depends on earlier prints": {
      "codePoints: { value: [character.codePointAt(0)] }": "bold: { value: false }"
    }
  }),
  ...guards("src/documents/print/Pdf.ts", "test/documents/print/Pdf.test.ts", {
    "the bytes of a PDF depend on when its logo was unpacked": {
      "yield* Effect.promise(() => sheet.pictureDrawn)": "yield* Effect.yieldNow"
    }
  }),
  ...guards("src/documents/print/PrintedSheet.ts", "test/documents/print/Pdf.test.ts", {
    "a PDF's XML metadata is not escaped": { 'entities[character] ?? "") : text': "character) : text" },
    "a PDF's title holds control characters": {
      'text.toWellFormed().replaceAll(/[\\p{Cc}\\ufffe\\uffff]+/gu, " ")': "text"
    }
  }),
  ...guards("src/webhooks/store/Events.ts", "test/contract/Postgres.pg.test.ts", {
    "a wait for one object reads every event of the account": {
      "(n.object_id is null or e.object_id = n.object_id)": "true"
    }
  }),
  ...guards("src/webhooks/store/Redelivery.ts", "test/webhooks/store/Redelivery.pg.test.ts", {
    "an inactive endpoint gets samples that wait for ever": { "if (!is_active) return yield* inactive": "" },
    "a full endpoint gets samples": { "if (is_full) return yield* full": "" }
  }),
  ...guards("src/invoices/authority/AuthoritySandbox.ts", "test/invoices/authority/AuthoritySandbox.test.ts", {
    "the sandbox stores each document of a flaky scenario": { "      failures.delete(key)\n": "" }
  }),
  ...guards("src/invoices/authority/AuthoritySandbox.ts", "test/invoices/authority/SandboxAnswers.test.ts", {
    "the sandbox accepts what breaks a rule": { "check?.().map(remarkOf) ?? []": "[]" },
    "the sandbox rejects where the authority only notifies": { 'severity === "rejection")': "severity.length > 0)" }
  }),
  ...guards("src/documents/SandboxRules.ts", "test/documents/SandboxRules.test.ts", {
    "the sandbox accepts a document dated after the end of its range": { "issue_date > range.valid_to": "false" },
    "the sandbox accepts any code": { "cufe(full_number, tail) === document.cufe": "true" },
    "the sandbox accepts a total that is rounded up from below zero": {
      "amount < 0n ? -wholeUnits(-amount)": "amount < 0n ? 0n"
    },
    "the sandbox accepts any total of a tax": { "isTolerated(cents(tax.value), sumOf(tax).exact)": "true" },
    "the sandbox sends no notification about a carbon tax by percentage": {
      "totals.taxes.every(({ code }) => code !== carbon)": "true"
    },
    "the sandbox sends no notification about prepayments": { "cents(prepaid_amount) > exact": "false" }
  }),
  ...guards("src/documents/signature/XadesSignature.ts", "test/documents/signature/SignedDocument.test.ts", {
    "a document without a prolog, from an earlier release, is not read": {
      "bytes.subarray(0, prologBytes.length).equals(prologBytes) ? prologBytes.length : 0": "prologBytes.length"
    }
  }),
  ...guards("src/documents/ubl/UblDocument.ts", "test/documents/ubl/FullContent.test.ts", {
    "a credit card is written as a bank transfer": { "paymentCode(payment.code)": "payment.code" }
  }),
  ...guards("src/invoices/Mailing.ts", "test/invoices/Mailing.test.ts", {
    "one account's emails precede all others": {
      "turns.inTurn(Turns.askerOf(key), sendOne(key))": "turns.inTurn({ owner: '', asker: '' }, sendOne(key))"
    }
  }),
  ...guards("src/invoices/store/Emails.ts", "test/accounts/store/Limits.pg.test.ts", {
    "a document can be emailed without limit": { ") < ${emailsMax}": ") >= 0" }
  }),
  ...guards("src/accounts/store/Accounts.ts", "test/accounts/store/Accounts.pg.test.ts", {
    "changes of the issuer have no limit": {
      "if (Option.isSome(wait)) return yield* issuerChangedTooOften(wait.value.seconds)": ""
    }
  })
]
