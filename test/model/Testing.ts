/*
 * `@folio-einvoicing/service/testing`: for teams who put the service together with layers of their own, and want to know that it still keeps its
 * promises. The page `src/http/docs/testing-own.md` shows its use.
 *
 * - `sequences`, `politeSequences`, `requests`, `commandSequences`: what is asked, as arbitraries
 * - `check`: runs sequences against a world, and shows the shortest one that goes wrong; `describe` puts it into words
 * - `memoryWorld`: the service in memory, on machines that fail, with a profile, ports, routes and parts of a store of one's own
 * - `ownCommands`: commands of one's own, to be drawn among the others
 * - `World`, `Surroundings`, `books`, `seedBooks`: what it takes to run the same against a service elsewhere
 * - `Auditor`: the reference model alone, to be told of requests, answers, calls and webhooks from any other test
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
