import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { NationalProfile } from "@folio-einvoicing/service/ports"
import { check, type MemoryWorldOptions, memoryWorld } from "@folio-einvoicing/service/testing"
import { syldavia } from "../examples/OwnCountryWorld.ts"

const checkOn = Effect.fnUntraced(function* (options: MemoryWorldOptions, runs: number) {
  const world = yield* memoryWorld(options)
  return yield* check(({ seed }) => Effect.as(world.reset(seed), world), { runs, seed: "syldavia" })
})

/** The example's profile, with rules that let no invoice pass. */
const refusing = Layer.effect(
  NationalProfile,
  Effect.map(NationalProfile, (profile) =>
    NationalProfile.of({
      ...profile,
      rules: {
        ...profile.rules,
        invoice: () => [{ param: "metadata", code: "parameter_invalid", message: "No metadata is right." }]
      }
    })
  )
)

describe("the check of a custom country", () => {
  it.live("meets acceptances and rejections without a finding", () =>
    Effect.gen(function* () {
      const { failure, met } = yield* checkOn(syldavia, 30)
      assert.isNull(failure, failure?.findings.join("\n"))
      for (const outcome of ["accepted_by_authority", "rejected_by_authority", "credit_note accepted_by_authority"])
        assert.isAbove(met.get(`ended: ${outcome}`) ?? 0, 5, outcome)
    })
  )

  it.live("fails and names the outcomes that never happened", () =>
    Effect.gen(function* () {
      const { profile = Layer.empty, translate = (drawn) => drawn, ...others } = syldavia
      const missing = yield* Effect.flip(
        checkOn(
          {
            ...others,
            profile: Layer.provide(refusing, profile as Layer.Layer<NationalProfile>),
            // Every request deserves this response, so that only the outcomes are missing.
            translate: (drawn) => {
              const translated = translate(drawn)
              if (drawn.collection !== "invoices" || ("code" in translated.deserves && translated.deserves.early))
                return translated
              return { ...translated, deserves: { status: 400, code: "parameter_invalid", early: false } }
            }
          },
          10
        )
      )
      assert.strictEqual(missing._tag, "OutcomesMissing")
      assert.deepStrictEqual(missing.missing, ["ended: accepted_by_authority"])
      assert.include(missing.message, "create invoices: parameter_invalid")
    })
  )
})
