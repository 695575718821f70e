import { guards, type Mutant } from "./Mutant.ts"

/** Guards of a service's start and stop. */
export const startMutants: ReadonlyArray<Mutant> = [
  ...guards("src/operations/store/KeyCanary.ts", "test/runtime/process/SealingKey.full.test.ts", {
    "the service starts with a key that does not open the canary": {
      "if (Option.isSome(found)) return yield* opens(found.value)": "if (Option.isSome(found)) return true"
    },
    "a database without a canary takes any key": { "if (looked > 0 && looked === unopened) return false": "" }
  }),
  ...guards("src/service/DatabaseKey.ts", "test/runtime/process/SealingKey.full.test.ts", {
    "a key file is made for a database that has sealed secrets": {
      "if (!Fs.existsSync(file) && (yield* isAnythingSealed)) {": "if (false as boolean) {"
    },
    "a key is not compared with the database": {
      "if (!(yield* isOfDatabase(key))) {": "if (false as boolean) {"
    },
    "the previous key is not compared with the database": {
      "if (previous === undefined || !(yield* isOfDatabase(previous)))": "if (previous === undefined)"
    }
  }),
  ...guards("src/operations/store/Rekey.ts", "test/postgres/operating/RekeyCommand.full.test.ts", {
    "folio rekey changes values while a process seals with the former key": {
      "if (count === 0) return\n": "if (count >= 0) return\n"
    },
    "folio rekey finishes although neither key opens a value": {
      "if (lost.length > 0 && !leaveLost) {": "if (lost.length > 1_000 && !leaveLost) {"
    },
    "folio rekey ends after a pass that has skipped a locked row": {
      "if (found.resealed + locked === 0)": "if (found.resealed === 0)"
    }
  }),
  ...guards("src/operations/store/SealedValues.ts", "test/postgres/operating/RekeyCommand.full.test.ts", {
    "folio rekey overwrites a secret that was rotated meanwhile": {
      "where ${sql.and(isRow)} and ${sql(column)} = ${secret}": "where ${sql.and(isRow)} and ${secret} <> ''"
    }
  }),
  ...guards("src/invoices/NextStep.ts", "test/invoices/Failures.test.ts", {
    "an authority that throws is called for ever": { "brokenInARow < brokenCallsMax ||": "brokenInARow > 0 ||" }
  }),
  ...guards("src/invoices/AuthorityCalls.ts", "test/invoices/Failures.test.ts", {
    "an authority's silence counts as a defect": {
      "const times = (brokenInARow.get(row.id) ?? 0) + 1": "const times = row.attempts"
    }
  }),
  ...guards("src/service/Service.ts", "test/postgres/accounts/WebhookAllow.full.test.ts", {
    "a service that lets webhooks reach internal addresses starts with live keys": {
      "if (!(yield* Limits).webhookAllow || !(yield* hasLiveKeys)) return":
        "if (!(yield* Limits).webhookAllow || (yield* hasLiveKeys) !== undefined) return"
    }
  }),
  ...guards("src/accounts/store/LiveMode.ts", "test/postgres/accounts/WebhookAllow.full.test.ts", {
    "a live key is made beside a service that lets webhooks reach internal addresses": {
      "if (!isAllowed) return\n": "if (isAllowed || !isAllowed) return\n"
    }
  }),
  ...guards("src/runtime/postgres/ServiceLock.ts", "test/postgres/process/ServiceLock.full.test.ts", {
    "a second process serves the same database": { "if (row?.[0] !== true) {": "if (row === undefined) {" },
    "a process that hangs keeps its lock on the database": {
      "idle_session_timeout: `${silenceMax}`": 'idle_session_timeout: "0"',
      "setting?.[0] !== `${silenceMax / 1000}s`": "setting === undefined"
    }
  }),
  ...guards("src/service/Service.ts", "test/postgres/process/ServiceLock.full.test.ts", {
    "a process that lost its lock on the database continues to serve it": {
      "return yield* (yield* ServiceLock).lost": "return yield* Effect.never"
    }
  }),
  ...guards("src/service/Run.ts", "test/runtime/platform/Signals.full.test.ts", {
    "closing the terminal ends a process without a drain": {
      'process.on("SIGHUP", stop)': ""
    }
  }),
  ...guards("src/runtime/postgres/Postgres.ts", "test/runtime/platform/DatabaseRefusals.full.test.ts", {
    "an error of the database is shown in its raw form": {
      "if (refused !== undefined) return unusable(address, refused)":
        "if (refused !== undefined) return new DatabaseError({ message: refused.message })"
    }
  }),
  ...guards("src/runtime/postgres/TablesRelease.ts", "test/runtime/platform/DatabaseRefusals.full.test.ts", {
    "a release serves a later release's incompatible tables": {
      "if (oldest <= schemaRelease) return undefined": "return undefined"
    }
  }),
  ...guards("src/runtime/postgres/Migrations.ts", "test/runtime/postgres/Migrations.pg.test.ts", {
    "a migration removes what a running process needs": {
      "if (release < serves) return yield* new EarlierReleaseServes({ release, serves })": ""
    },
    "an earlier release starts on tables that it cannot serve": {
      "yield* sql`update oldest_release set release = greatest(release, ${serves})`": ""
    }
  }),
  ...guards("src/runtime/cluster/ClusterTables.ts", "test/runtime/cluster/ClusterTables.pg.test.ts", {
    "processes with different message formats share actors": {
      "(revision) => `cluster_${revision}`": '(revision) => (revision === "" ? revision : "cluster")'
    },
    "the tables of a running cluster are dropped": {
      "if not used then": "if true then"
    }
  }),
  ...guards("src/cli/operator/Doctor.ts", "test/postgres/accounts/ShellCommands.full.test.ts", {
    "the doctor passes a configuration that is not ready for production": {
      'flags.production && one.state === "note"': "flags.production && false"
    }
  }),
  ...guards("src/operations/backup/BackupFile.ts", "test/postgres/operating/BackupTricks.full.test.ts", {
    "a backup that was altered without the key is restored": {
      "if (!isMac(last.mac, macOf(key, last.sha256))) throw altered(file)": ""
    }
  })
]
