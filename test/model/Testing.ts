/*
 * `@folio-einvoicing/service/testing`: for teams that build the service with layers of their own and want to check that
 * it still keeps its promises. The page `src/docs/testing-own.md` shows its use.
 *
 * - `sequences`, `politeSequences`, `requests`, `commandSequences`: arbitraries of the workload
 * - `check`: runs sequences against a world, and shrinks the first one that fails; `describe` formats the failure
 * - `memoryWorld`: the service in memory, on machines that fail, with your own profile, ports, routes and parts of the
 *   store
 * - `ownCommands`: your own commands, drawn among the others
 * - `World`, `Surroundings`, `books`, `seedBooks`: the parts for running the same check against a service elsewhere
 * - `Auditor`: the reference model alone, for requests, responses, calls and webhooks of any other test
 * - `auditLifecycle`: the same for a lifecycle's table
 */
export { Auditor, type AuditorOptions } from "./checks/Auditor.ts"
export { books, seedBooks } from "./checks/Books.ts"
export { check, type Checked, type CheckOptions, describe, type Failure, OutcomesMissing } from "./checks/Check.ts"
export type { FinishOptions, SignedContent } from "./checks/documents/Documents.ts"
export type { Collection, Entry, OwnChange, Thing } from "./checks/Journal.ts"
export { auditLifecycle, type Commands, commandSequences } from "./checks/documents/Lifecycles.ts"
export { make as memoryWorld } from "./worlds/MemoryWorld.ts"
export type { MemoryServices, MemoryWorld, MemoryWorldOptions } from "./worlds/MemoryWorldTypes.ts"
export { type OwnCommand, type OwnCommands, ownCommands, type OwnRequest, type Stage } from "./steps/OwnCommands.ts"
export type { Translatable, Translate } from "./steps/Translate.ts"
export { type Deserves, requests, type RequestToMake } from "./steps/Requests.ts"
export { type OwnStep, politeSequences, type Sequence, sequences, type Step } from "./steps/Steps.ts"
export {
  type AuthorityCall,
  type AuthorityOutcome,
  type Mail,
  type MailOutcome,
  type Observer,
  Surroundings,
  type Webhook
} from "./worlds/Surroundings.ts"
export type { Book, Pending, Reply, Sent, World } from "./worlds/World.ts"
