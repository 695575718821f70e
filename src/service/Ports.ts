/*
 * The ports, which a team can replace, with their types, failures and default layers. A module of layers is a
 * namespace, so that each default has the name `Name.layer`.
 */

/** The error of the API, with which a route or a port can fail. */
export { ApiError, type Violation } from "../../schemas/ApiError.ts"
export { Exchange, RequestId } from "../http/request/Exchange.ts"
export { ServiceInfo } from "../runtime/ServiceInfo.ts"
export { SettingsError } from "../runtime/Setting.ts"
export { DataDir } from "../runtime/process/DataFiles.ts"

// The country.
/** The default `NationalProfile`. */
export * as ColombianProfile from "../documents/ColombianProfile.ts"
export {
  type Accepted,
  type Draft,
  NationalProfile,
  type Numbered,
  type Rules,
  Unsignable
} from "../documents/NationalProfile.ts"
export { FiscalDocument } from "../documents/ubl/FiscalDocument.ts"
export {
  type Certificate,
  fromPem,
  type LocalCertificate,
  makeSelfSigned,
  SandboxCertificate,
  SigningUnavailable
} from "../documents/signature/Certificate.ts"
export { type AccountCertificate, SigningKeys, SigningRefused } from "../documents/signature/SigningKeys.ts"

// The tax authority.
export {
  type AcquirerQuestion,
  Authority,
  type AuthorityAcquirer,
  type AuthorityRange,
  AuthorityRefusal,
  AuthorityUnavailable,
  type CallerCertificate,
  type DocumentName,
  type RegisteredSoftware,
  type Submission,
  type TestSet,
  type Verdict
} from "../invoices/authority/Authority.ts"
export type { AuthorityEvent } from "../invoices/rules/AcceptanceRules.ts"
/** The web service of the Colombian authority, and an authority that combines a test and a live one. */
export * as AuthorityLive from "../invoices/authority/AuthorityLive.ts"
/** The simulated authority, for test documents. */
export * as AuthoritySandbox from "../invoices/authority/AuthoritySandbox.ts"
export { AuthoritySettings, type LiveAuthority } from "../invoices/authority/AuthoritySettings.ts"

// Files and emails of documents.
export { Printer } from "../documents/print/Printer.ts"
export { type DocumentFile, DocumentFiles, type DocumentOfAccount } from "../invoices/DocumentFiles.ts"
export type { EmailPackage, PackageFile } from "../documents/email/EmailPackage.ts"
export {
  type Envelope,
  Mailer,
  MailerAbsent,
  MailerRefused,
  MailerUnavailable,
  type Message,
  type Send,
  type Sent
} from "../invoices/mail/Mailer.ts"
/** The default `Mailer`. */
export * as MailerSmtp from "../invoices/mail/MailerSmtp.ts"

// Webhooks.
export {
  type WebhookErrorCode,
  type WebhookRequest,
  type WebhookResponse,
  WebhookSender,
  type WebhookSenderOptions
} from "../webhooks/sender/WebhookSender.ts"
export {
  DnsFailed,
  EgressGuard,
  type EgressGuardOptions,
  EgressRefused,
  type UrlVerdict
} from "../webhooks/sender/EgressGuard.ts"

// The service itself.
export { type Alert, AlertFailed, Alerts } from "../operations/Alerts.ts"
export { Notify } from "../accounts/Notify.ts"
export { RateLimit } from "../http/limits/RateLimit.ts"
export { PreviousSecretKey, SecretKey } from "../database/Secrets.ts"
export { Limits, type LimitsChange, type LimitValues, type TurnLimits } from "../runtime/Limits.ts"
