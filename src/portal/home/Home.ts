import { Clock, Effect } from "effect"
import type { Account } from "../../../schemas/Account.ts"
import { Overview } from "../../store/overview/Overview.ts"
import { SandboxAuthorities } from "../../store/sandbox/SandboxAuthorities.ts"
import { page } from "../frame/Routes.ts"
import type { Visit } from "../frame/Visit.ts"
import { homePage } from "./HomePage.ts"
import { needsOf } from "./Needs.ts"

const home = Effect.fnUntraced(function* (visit: Visit) {
  const { principal } = visit.session
  const account = yield* visit.get<Account>("/v1/account")
  const overview = yield* visit.read((yield* Overview).read)
  const mode = principal.livemode ? "up" : (yield* visit.read((yield* SandboxAuthorities).setting)).mode
  const now = new Date(yield* Clock.currentTimeMillis)
  const date = overview.days.at(-1)?.date ?? ""
  const needs = needsOf(visit, { ...overview, now, date, isHindered: mode !== "up" })
  return homePage(visit, { account, overview, needs })
})

/** The first page of the portal. */
export const layer = page("/portal", home)
