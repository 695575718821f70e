import { Effect, Layer, ManagedRuntime } from "effect"
import { Printer } from "../../../src/documents/print/Printer.ts"

const runtime = ManagedRuntime.make(Printer.layer)

/**
 * The printer that all tests in this process share, because starting its thread takes longer than most tests. The
 * thread outlives the services, even if a test advances its clock.
 */
export const sharedPrinter = Layer.effect(
  Printer,
  Effect.promise(() => runtime.runPromise(Printer))
)
