import { Effect, Layer, ManagedRuntime } from "effect"
import { Printer } from "../../../src/documents/print/Printer.ts"

const runtime = ManagedRuntime.make(Printer.layer)

/**
 * The printer that the services of all tests in this process share, because starting its thread takes longer than most tests. The
 * thread outlives the services, however far the clock of a test is moved.
 */
export const sharedPrinter = Layer.effect(
  Printer,
  Effect.promise(() => runtime.runPromise(Printer))
)
