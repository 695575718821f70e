import { Cause, Duration, Effect, Layer, Predicate, Result, Schema } from "effect"
import { Violation } from "../../schemas/ApiError.ts"
import { storableText } from "../domain/requests/Storable.ts"
import { callPort, orDie } from "../protocol/PortCall.ts"
import { NationalProfile, type Rules, Unsignable } from "./NationalProfile.ts"

type Profile = typeof NationalProfile.Service

// Longer than a signature of the certificate takes, which has a time-out of its own.
const within = Duration.seconds(20)

// The most of a profile's texts that is kept: a code or a URL, and the code and message of a failure.
const textMax = 2_000
const failureMax = { code: 100, message: 500 }

const isText = (value: unknown): value is string =>
  Predicate.isString(value) && value !== "" && value.length <= textMax && storableText(value, textMax) === value
const isDate = (value: unknown) =>
  Predicate.isString(value) && /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(value)
const isViolation: (value: unknown) => boolean = Schema.is(Violation)
const isRefusal = (value: unknown) => Array.isArray(value) && value.every(isViolation)
const isFile = (value: unknown) => value instanceof Uint8Array && value.length > 0
const isUnsignable = (error: unknown) => error instanceof Unsignable
const isCode = (value: unknown) =>
  Result.isResult(value) && (Result.isSuccess(value) ? isText(value.success) : isUnsignable(value.failure))
const isForm: (value: unknown) => boolean = Schema.is(
  Schema.Struct({
    separator: Schema.String.check(Schema.makeFilter((text) => text === "" || isText(text))),
    digits: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 18 }))
  })
)
const isLack = (value: unknown) => Array.isArray(value) && value.every(isText)

/** The answer of the profile; throws where the answer is not what the type of the profile says. */
const checked = <A>(name: string, answer: A, isAnswer: (answer: unknown) => boolean): NonNullable<A> => {
  if (isAnswer(answer)) return answer as NonNullable<A>
  throw new Error(`NationalProfile.${name} is or gives something else than its type says`)
}

const clean = ({ code, message }: Unsignable) =>
  new Unsignable({ code: storableText(code, failureMax.code), message: storableText(message, failureMax.message) })

const signed = (name: string, call: () => Effect.Effect<Uint8Array, Unsignable>) =>
  orDie(callPort({ name: `NationalProfile.${name}`, isAnswer: isFile, isFailure: isUnsignable, within }, call)).pipe(
    Effect.mapError(clean)
  )

/** `log` takes the failure of a function that is done without; it is told once, until the function answers again. */
const guarded = (port: Profile, log: (name: string, cause: unknown) => void): Profile => {
  const broken = new Set<string>()
  const orElse = <A>(name: string, call: () => A, isAnswer: (answer: unknown) => boolean, otherwise: A): A => {
    try {
      const answer = call()
      checked(name, answer, isAnswer)
      if (broken.size > 0) broken.delete(name)
      return answer
    } catch (cause) {
      if (!broken.has(name)) log(name, cause)
      broken.add(name)
      return otherwise
    }
  }
  const refusal =
    <Name extends Exclude<keyof Rules, "named" | "warnings" | "noteWarnings">>(name: Name) =>
    (...asked: Parameters<Rules[Name]>) =>
      checked(
        `rules.${name}`,
        (port.rules[name] as (...all: Parameters<Rules[Name]>) => ReadonlyArray<Violation>)(...asked),
        isRefusal
      )
  return {
    localDate: (epochMs) => checked("localDate", port.localDate(epochMs), isDate),
    issueTime: (epochMs) => checked("issueTime", port.issueTime(epochMs), isText),
    rules: {
      invoice: refusal("invoice"),
      note: refusal("note"),
      ...(port.rules.warnings === undefined
        ? {}
        : {
            warnings: (request, today) =>
              orElse("rules.warnings", () => port.rules.warnings?.(request, today) ?? [], isRefusal, [])
          }),
      ...(port.rules.noteWarnings === undefined
        ? {}
        : {
            noteWarnings: (request, operation, today) =>
              orElse(
                "rules.noteWarnings",
                () => port.rules.noteWarnings?.(request, operation, today) ?? [],
                isRefusal,
                []
              )
          }),
      customer: refusal("customer"),
      issuer: refusal("issuer"),
      resolution: refusal("resolution"),
      named: (subject) => (violation) =>
        orElse("rules.named", () => port.rules.named(subject)(violation), isViolation, violation)
    },
    sandbox: port.sandbox,
    numbering: checked("numbering", port.numbering, isForm),
    code: (document) => Result.mapError(checked("code", port.code(document), isCode), clean),
    ...(port.tail === undefined
      ? {}
      : { tail: (draft) => Result.mapError(checked("tail", port.tail?.(draft), isCode), clean) }),
    pageOf: (document) =>
      orElse(
        "pageOf",
        () => port.pageOf(document),
        (answer) => answer === null || isText(answer),
        null
      ),
    ...(port.processedBefore === undefined
      ? {}
      : { processedBefore: checked("processedBefore", port.processedBefore, isText) }),
    lacks: checked("lacks", port.lacks, isLack),
    ...(port.lacksOf === undefined ? {} : { lacksOf: (issuer) => checked("lacksOf", port.lacksOf?.(issuer), isLack) }),
    ...(port.lackOfSoftware === undefined
      ? {}
      : { lackOfSoftware: checked("lackOfSoftware", port.lackOfSoftware, isText) }),
    sign: (document, certificate, software) => signed("sign", () => port.sign(document, certificate, software)),
    attach: (accepted, certificate, software) => signed("attach", () => port.attach(accepted, certificate, software))
  }
}

/**
 * The national profile, which a team may replace, held to its type: a function that throws, or gives something else than its type says,
 * is a defect of the request or the document. Two functions only add to what is told, and are done without: a document then has no
 * page, and a violation has no rule of the authority. Dies when `numbering`, `lacks` or `lackOfSoftware` is not what its
 * type says.
 */
export const guardedProfile = Effect.gen(function* () {
  const port = yield* NationalProfile
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  return guarded(port, (name, cause) => {
    fork(Effect.logError(`NationalProfile.${name} broke, and is done without`, Cause.die(cause)))
  })
})

export const layer = Layer.effect(NationalProfile, guardedProfile)
