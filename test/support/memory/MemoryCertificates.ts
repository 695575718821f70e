import { Effect, Option, Redacted } from "effect"
import { Certificates, type StoredCertificate } from "../../../src/store/accounts/Certificates.ts"
import { existing, inMemory } from "./MemoryTables.ts"

export const certificatesLayer = inMemory(Certificates, ({ call }) => ({
  current: (account) =>
    call("Certificates.current", ({ certificates }, now) => {
      const isValid = ({ not_after, not_before }: StoredCertificate) =>
        not_before.getTime() <= now && now < not_after.getTime()
      const newestFirst = [...certificates.values()]
        .filter(({ account_id }) => account_id === account)
        .toSorted((a, b) => (a.id < b.id ? 1 : -1))
      const found = newestFirst.find(isValid) ?? newestFirst[0]
      return Option.fromUndefinedOr(found === undefined ? undefined : { ...found, is_valid: isValid(found) })
    }),
  pem: ({ id }) => call("Certificates.pem", ({ certificates }) => Redacted.make(existing(certificates, id).pem)),
  insert: (certificate, pem) =>
    call("Certificates.insert", ({ certificates }) => {
      certificates.set(certificate.id, { ...certificate, pem: Redacted.value(pem) })
    }),
  forget: () => Effect.void
}))
