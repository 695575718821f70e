import { it as plain, layer as share, type Vitest } from "@effect/vitest"
import { Effect, identity, type Layer, type Scope } from "effect"

/* `it` and `describe` for tests written as steps: `it.effect("…", function* () { … })`. */

/** Body of a test: its steps, as `Effect.gen` takes them, or an effect. */
type Run<R, Args extends Array<unknown> = []> = (
  ...args: Args
) => Generator<Effect.Effect<unknown, unknown, R>, unknown, never> | Effect.Effect<unknown, unknown, R>

type Provide<R, RTest> = (effect: Effect.Effect<unknown, unknown, R>) => Effect.Effect<unknown, unknown, RTest>

/**
 * Tests of one kind, each with the services of `provide`. `each`: `%s` and `$member` in the name stand for the case.
 */
const testerOf = <R, RTest>(tester: Vitest.Tester<RTest>, provide: Provide<R, RTest>) => {
  const effectOf = (run: Run<R>) =>
    provide(
      Effect.suspend(() => {
        const made = run()
        return Effect.isEffect(made) ? made : Effect.gen(() => made)
      })
    )
  const register = (test: Vitest.Test<RTest>) => (name: string, run: Run<R>) => test(name, () => effectOf(run))
  const each =
    <T>(cases: ReadonlyArray<T>) =>
    (name: string, run: Run<R, [T]>) =>
      tester.each(cases)(name, (one) => effectOf(() => run(one)))
  const skipIf = (condition: unknown) => register(tester.skipIf(condition))
  return Object.assign(register(tester), { each, skipIf, prop: tester.prop })
}

/** Tests that need only the services of every test. */
export const it = {
  effect: testerOf(plain.effect, identity<Effect.Effect<unknown, unknown, Scope.Scope>>),
  live: testerOf(plain.live, identity<Effect.Effect<unknown, unknown, Scope.Scope>>)
}

/** Tests that each build the layer for themselves. A test's resources are released before the layer. */
export const itOn = <R, E>(own: Layer.Layer<R, E, Scope.Scope>) => {
  const provide: Provide<R | Scope.Scope, Scope.Scope> = (effect) => Effect.provide(Effect.scoped(effect), own)
  return { effect: testerOf(plain.effect, provide), live: testerOf(plain.live, provide) }
}

/** A block of tests that share the layer's services. */
export const describeOn =
  <R, E>(...layer: Parameters<typeof share<R, E>>) =>
  (
    name: string,
    define: (it: { readonly effect: ReturnType<typeof testerOf<R | Scope.Scope, R | Scope.Scope>> }) => void
  ) =>
    share(...layer)(name, ({ effect }) =>
      define({ effect: testerOf(effect, identity<Effect.Effect<unknown, unknown, R | Scope.Scope>>) })
    )

/** A block of tests that share the layer's services, on the real clock. */
export const describeLive = <R, E>(common: Layer.Layer<R, E>) => describeOn(common, { excludeTestServices: true })
