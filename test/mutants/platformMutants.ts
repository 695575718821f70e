import { guards, type Mutant } from "./Mutant.ts"

/** Guards of platforms: their accounts, the numbers of accounts with one issuer, usage and notices. */
export const platformMutants: ReadonlyArray<Mutant> = [
  ...guards("src/accounts/store/Platforms.ts", "test/http/platforms/Isolation.pg.test.ts", {
    "platforms: a platform acts for the accounts of all platforms": {
      "        join accounts a on a.platform = k.account_id\n        join account_modes m on m.account_id = a.id and m.livemode = k.livemode\n        where":
        "        join accounts a on true\n        join account_modes m on m.account_id = a.id and m.livemode = k.livemode\n        where"
    }
  }),
  ...guards("src/accounts/store/Platforms.ts", "test/http/platforms/Accounts.pg.test.ts", {
    "platforms: a platform lists the accounts of all platforms": {
      "sql`platform = ${account_id}`,": "sql`platform is not null`,"
    },
    "platforms: a platform creates one account more than its limit": {
      "accounts >= accounts_max)": "accounts > accounts_max)"
    },
    "platforms: two requests create accounts beyond the limit": {
      "        yield* AccountView.lock(sql, { account_id: platform })\n        const { accounts,":
        "        const { accounts,"
    },
    "platforms: an account closes with documents under way": {
      "select 1 as found where exists (select from invoices where account_id = ${account} and next_action_at is not null)":
        "select 1 as found where false"
    }
  }),
  ...guards("src/http/request/Authentication.ts", "test/http/platforms/Isolation.pg.test.ts", {
    "platforms: an account's own key manages accounts": {
      "return managesAccounts || sent !== undefined ? yield* platformKeyRequired : key":
        "return sent !== undefined ? yield* platformKeyRequired : key"
    },
    "platforms: a platform's key acts without an account": {
      "return managesAccounts || ofPlatform.has(group.identifier) ? key : yield* accountRequired": "return key"
    }
  }),
  ...guards("src/api/Capabilities.ts", "test/http/platforms/Isolation.pg.test.ts", {
    "platforms: a suspended account creates documents": {
      "return createsDocuments(endpoint) ? accountSuspended : null": "return null"
    }
  }),
  ...guards("src/api/Capabilities.ts", "test/http/platforms/Accounts.pg.test.ts", {
    "platforms: a closed account changes its data": {
      'return capability === null || capability === "keys" ? null : accountClosed': "return null"
    }
  }),
  ...guards("src/accounts/commands/PlatformCommands.ts", "test/http/platforms/Accounts.pg.test.ts", {
    "platforms: a closed account keeps its ranges active": {
      'if (status === "closed") yield* platforms.asService(resolutions.deactivate(account.account_id))': ""
    },
    "platforms: a closed account opens again": {
      'if (before.status === "closed") return yield* accountClosed': ""
    }
  }),
  ...guards("src/http/request/Authentication.ts", "test/http/request/RestrictedKeys.pg.test.ts", {
    "keys: a restricted key has every capability": {
      "const isPermitted = capability !== null && capabilities.some((held) => includes(held, capability))":
        "const isPermitted = capability !== null"
    }
  }),
  ...guards("src/database/Keys.ts", "test/http/request/RestrictedKeys.pg.test.ts", {
    "keys: a key works after its end": {
      "revoked_at is null and (expires_at is null or expires_at > now())": "revoked_at is null"
    }
  }),
  ...guards("src/accounts/store/Resolutions.ts", "test/http/platforms/SharedIssuer.pg.test.ts", {
    "platforms: two live accounts of one issuer register the same numbers": {
      "meetingOf(resolution, yield* ofSameIssuer(resolution), numbering) ?? insert": "insert"
    }
  }),
  ...guards("src/accounts/store/Resolutions.ts", "test/accounts/store/SharedIssuer.pg.test.ts", {
    "platforms: an account activates numbers that another account of its issuer took over": {
      "overlapOf(next, ranges, numbering) ?? meetingOf(next, yield* ofSameIssuer(key), numbering)":
        "overlapOf(next, ranges, numbering)"
    }
  }),
  ...guards("src/accounts/store/LiveMode.ts", "test/accounts/store/SharedIssuer.pg.test.ts", {
    "platforms: two processes register the same numbers for one issuer at the same moment": {
      "locks ? Effect.orDie(sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`) : Effect.void":
        "Effect.void"
    }
  }),
  ...guards("src/accounts/commands/AccountCommands.ts", "test/http/platforms/SharedIssuer.pg.test.ts", {
    "platforms: an account takes the identification of an account with the same numbers": {
      "if (after !== null && isAnotherIssuer(before.issuer, after)) {": "if (after === null) {"
    }
  }),
  ...guards("src/accounts/store/Operations.ts", "test/postgres/accounts/ShellCommands.full.test.ts", {
    "platforms: a new key copies the issuer of an account with the same numbers": {
      "if (issuer !== null) yield* checkIssuer(account, issuer.identification)": ""
    }
  }),
  ...guards("src/invoices/store/Transitions.ts", "test/invoices/store/Usage.pg.test.ts", {
    "platforms: usage counts a document that has not ended": {
      "done where command is not null and alarm_ms is null) ended": "done where command is not null) ended"
    }
  }),
  ...guards("src/operations/store/Notices.ts", "test/operations/store/Notices.pg.test.ts", {
    "notices: a problem that comes back opens no notice": {
      "and o.object_id = w.object_id and o.ended_at is null and o.message = w.message":
        "and o.object_id = w.object_id and o.message = w.message"
    },
    "notices: an intermittent problem emails the issuer each time": {
      "const sameEmailHours = 24": "const sameEmailHours = 0"
    },
    "notices: a closed account gets notices": {
      "accounts.filter(({ is_closed }) => !is_closed).map(({ id }) => id)": "all"
    }
  })
]
