import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Prompt from "effect/cli/Prompt"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { urlOf } from "../client/Addresses.ts"
import {
  firstQuery,
  isFinal,
  isKeyed,
  nextQuery,
  pauseMs,
  type Query,
  type RequestOf,
  waitsMs
} from "../client/Attempts.ts"
import type { ErrorBody, Operations } from "../client/Interface.ts"
import { routes } from "../client/OperationRoutes.ts"
import { UnusableBody, bytesOf, hasItsType, parsed } from "../client/ResponseBody.ts"
import { Connection } from "./Connection.ts"
import { Failed, Misuse, Refused, Unreachable } from "./Failures.ts"
import { Output } from "./Output.ts"

/** `--yes`: changes with a live key are made without asking. */
export const Yes = GlobalFlag.Setting("yes")({
  flag: Flag.Boolean("yes").pipe(
    Flag.withDescription("Make changes with a live key without asking"),
    Flag.withDefault(false)
  )
})

/** A request as it is sent: `path` may have a query. */
export interface Sent {
  readonly method: string
  readonly path: string
  readonly body?: string | undefined
  /** The idempotency key of a request that changes something; a new one if left out. */
  readonly key?: string | undefined
  /** Whether the request changes nothing, though its method is POST. */
  readonly isRead?: boolean | undefined
  /** How long an attempt may take, in milliseconds; 60,000 if left out. */
  readonly timeoutMs?: number | undefined
  /** Whether there is one attempt, because the caller makes further ones itself. */
  readonly isOnce?: boolean | undefined
}

/** An answer that is no error, byte for byte. */
export interface Received {
  readonly status: number
  readonly contentType: string
  readonly bytes: Uint8Array
}

type CallError = Refused | Unreachable | Misuse | Failed

type AnswerOf<Operation> = Operation extends { readonly answer: infer Answer } ? Answer : never
type ItemOf<Operation> = Operation extends { readonly item: infer Item } ? Item : never

interface Taken {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Query
  readonly payload?: unknown
}

const isObject = (body: unknown): body is object => typeof body === "object" && body !== null && !Array.isArray(body)

const hasMessage = (value: unknown) => isObject(value) && "message" in value && typeof value.message === "string"

const isErrorBody = (body: unknown): body is ErrorBody => {
  if (!isObject(body) || !("error" in body) || !isObject(body.error) || !hasMessage(body.error)) return false
  const errors = "errors" in body.error ? body.error.errors : []
  return Array.isArray(errors) && errors.every(hasMessage)
}

type Page = Parameters<typeof nextQuery>[1]

const isPage = (body: object): body is Page =>
  "data" in body && Array.isArray(body.data) && body.data.every((one) => isObject(one) && "id" in one)

// A failed connection names its cause in `cause.code`; a name of the domain system that is unknown has one as well.
const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined
  if (typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string")
    return cause.code
  return error instanceof Error ? error.message : String(error)
}

/** Failures after which nothing listens at the address, so that another attempt at once would fail as well. */
const noListener = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"])

const isPermanent = (failure: UnusableBody | string) => failure instanceof UnusableBody || noListener.has(failure)

const routeOf = (group: keyof Operations, name: PropertyKey) => {
  const [method = "", template = ""] = String(Reflect.get(routes[group], name)).split(" ")
  return { method, template }
}

/** Calls the service. A call with a live key that changes something asks the person at the terminal first. */
export class Api extends Context.Service<
  Api,
  {
    /** Sends a request; sends it again as the clients do when the service was too busy or the connection broke. */
    readonly send: (request: Sent) => Effect.Effect<Received, CallError>
    /** Sends a request, and gives the answer as it was read; the caller says which of the interface's answers it is. */
    readonly json: <Answer>(request: Sent) => Effect.Effect<Answer, CallError>
    /** Carries out an operation of the interface. */
    readonly call: <Group extends keyof Operations, Name extends keyof Operations[Group]>(
      group: Group,
      name: Name,
      request: RequestOf<Operations[Group][Name]>,
      options?: Pick<Sent, "key" | "isRead" | "timeoutMs" | "isOnce">
    ) => Effect.Effect<AnswerOf<Operations[Group][Name]>, CallError>
    /** All objects of a list, page by page: `name` is an `all…` of the interface. */
    readonly all: <Group extends keyof Operations, Name extends keyof Operations[Group]>(
      group: Group,
      name: Name,
      request: RequestOf<Operations[Group][Name]>
    ) => Stream.Stream<ItemOf<Operations[Group][Name]>, CallError>
    /** Asks once whether changes may be made with a live key. Fails with `Misuse` where nobody can be asked. */
    readonly mayChange: (what: string) => Effect.Effect<void, Misuse | Failed>
  }
>()("folio/shell/Api") {
  static readonly layer = Layer.effect(
    Api,
    Effect.gen(function* () {
      const { from, key: apiKey, mode, url: base } = yield* Connection
      const output = yield* Output
      const isSure = yield* Yes
      const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
      const context = yield* Effect.context<Prompt.Environment>()
      let isAllowed = mode === "test" || isSure

      const mayChange = Effect.fnUntraced(function* (what: string) {
        if (isAllowed) return
        if (!canPrompt) {
          return yield* new Misuse({
            message: `This is a LIVE key: ${what} at ${base} needs --yes where nobody can be asked.`
          })
        }
        const question = Prompt.Confirm({ message: `LIVE: ${what} at ${base}?`, initial: false })
        const answer = yield* Prompt.run(question).pipe(
          Effect.provideContext(context),
          Effect.catchTag("QuitError", () => Effect.succeed(false))
        )
        if (!answer) return yield* new Failed({ message: "Nothing was changed." })
        isAllowed = true
      })

      const attempt = ({ body, key, method, path, timeoutMs = 60_000 }: Sent) =>
        Effect.tryPromise({
          try: async (signal) => {
            const response = await fetch(urlOf(base, path, {}), {
              method,
              headers: {
                authorization: `Bearer ${Redacted.value(apiKey)}`,
                ...(body === undefined ? {} : { "content-type": "application/json" }),
                ...(key === undefined ? {} : { "idempotency-key": key })
              },
              body: body ?? null,
              signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
              redirect: "manual"
            })
            const bytes = await bytesOf(response)
            return { status: response.status, header: (name: string) => response.headers.get(name) ?? undefined, bytes }
          },
          catch: (error) => (error instanceof UnusableBody ? error : reasonOf(error))
        })

      const odd = (what: string, hint?: string) =>
        new Unreachable({
          message: `The response from ${base} is not Folio's: ${what}`,
          ...(hint === undefined ? {} : { hint })
        })

      const received = Effect.fnUntraced(function* (
        answer: Effect.Success<ReturnType<typeof attempt>>,
        { method, path }: Sent,
        key: string | undefined
      ) {
        const contentType = answer.header("content-type") ?? ""
        if (answer.status >= 200 && answer.status < 300) {
          const [pathname = ""] = path.split("?")
          // Beside the API, a service has pages for people.
          const isOfFolio = hasItsType(method, pathname, contentType) || !pathname.startsWith("/v1/")
          if (isFinal(answer, yield* Clock.currentTimeMillis) && isOfFolio) {
            const { bytes, status } = answer
            return { status, contentType, bytes } satisfies Received
          }
        } else {
          const body = parsed(answer.bytes)
          if (isErrorBody(body)) {
            const hint = body.error.code === "invalid_api_key" ? `The key is that of ${from}.` : undefined
            return yield* new Refused({ body, hint })
          }
        }
        const hint = key === undefined ? undefined : repeatedWith(key)
        return yield* odd(`status ${answer.status}, type ${contentType || "unknown"}.`, hint)
      })

      const send = Effect.fn("Api.send")(function* (request: Sent) {
        if (request.method !== "GET" && request.isRead !== true) {
          yield* mayChange(`${request.method} ${request.path}`)
        }
        const key = isKeyed(request.method) ? (request.key ?? crypto.randomUUID()) : undefined
        for (let tries = 0; ; tries++) {
          const result = yield* attempt({ ...request, key }).pipe(
            Effect.onInterrupt(() =>
              key === undefined || request.isOnce === true ? Effect.void : Console.error(`\n  ${repeatedWith(key)}`)
            ),
            Effect.result
          )
          const wait = request.isOnce === true ? undefined : waitsMs[tries]
          const now = yield* Clock.currentTimeMillis
          const isLast =
            wait === undefined ||
            (result._tag === "Success" ? isFinal(result.success, now) : isPermanent(result.failure))
          if (isLast && result._tag === "Success") return yield* received(result.success, request, key)
          if (isLast && result._tag === "Failure") {
            if (result.failure instanceof UnusableBody)
              return yield* new Unreachable({ message: `${base} can't be read. ${result.failure.message}` })
            return yield* new Unreachable({
              message: `Nothing answers at ${base} (${result.failure}).`,
              hint: key === undefined || tries === 0 ? "Is the service running there?" : repeatedWith(key)
            })
          }
          const answer = result._tag === "Success" ? result.success : undefined
          const pause = pauseMs(wait ?? 0, answer, now, (now % 100) / 100)
          if (tries > 0 || pause > 1_500) yield* output.say(({ dim }) => dim(`waiting for ${base} …`))
          yield* Effect.sleep(pause)
        }
      })

      const json = Effect.fnUntraced(function* (request: Sent) {
        const body = parsed((yield* send(request)).bytes)
        return isObject(body) ? body : yield* odd("it is no JSON object.")
      })

      const operation = (
        group: keyof Operations,
        name: PropertyKey,
        request: Taken,
        options: Pick<Sent, "key" | "isRead" | "timeoutMs" | "isOnce"> = {}
      ) =>
        Effect.suspend(() => {
          const { method, template } = routeOf(group, name)
          const { pathname, search } = urlOf("http://folio", template, request)
          const body = request.payload === undefined ? undefined : JSON.stringify(request.payload)
          return json({ method, path: `${pathname}${search}`, body, ...options })
        })

      const pages = (group: keyof Operations, name: PropertyKey, request: Taken) =>
        Stream.paginate(firstQuery(request.query), (query) =>
          Effect.flatMap(operation(group, name, { ...request, query }), (body) =>
            isPage(body)
              ? Effect.succeed([body.data, Option.fromNullOr(nextQuery(query, body))] as const)
              : odd("it is no list of objects.")
          )
        )

      return Api.of({
        send,
        json: (request) => json(request) as Effect.Effect<never, CallError>,
        mayChange,
        call: (group, name, request, options) =>
          operation(group, name, request as Taken, options) as Effect.Effect<never>,
        all: (group, name, request) => pages(group, name, request as Taken) as Stream.Stream<never>
      })
    })
  )
}

const repeatedWith = (key: string) =>
  `What became of it is unknown: repeat it with --idempotency-key ${key}, and it is done once.`
