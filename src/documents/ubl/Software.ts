/** The registration of the program that makes the documents, by which the authority identifies the program. */
export interface Software {
  /** The NIT of the software's provider. */
  readonly provider: { readonly number: string; readonly check_digit: string }
  readonly id: string
  /** A secret of the provider and the authority, hashed into each CUDE and into the security code of each document. */
  readonly pin: string
}

/** The software that test documents name. It identifies nobody. */
export const sandboxSoftware: Software = {
  provider: { number: "900373115", check_digit: "3" },
  id: "f0110000-0000-4000-8000-000000000000",
  pin: "12345"
}
