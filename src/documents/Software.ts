import { Context } from "effect"

/** The program that makes the documents, as the authority knows it. */
export interface Software {
  /** The NIT of who provides it. */
  readonly provider: { readonly number: string; readonly check_digit: string }
  readonly id: string
  /** Known to the provider and the authority alone; part of each CUDE and of the security code of each document. */
  readonly pin: string
}

/** That of the sandbox identifies nobody; live documents need one that is registered with the authority. */
export class RegisteredSoftware extends Context.Reference<{
  readonly test: Software
  readonly live: Software | undefined
}>("folio/documents/RegisteredSoftware", {
  defaultValue: () => ({
    test: {
      provider: { number: "900373115", check_digit: "3" },
      id: "f0110000-0000-4000-8000-000000000000",
      pin: "12345"
    },
    live: undefined
  })
}) {}
