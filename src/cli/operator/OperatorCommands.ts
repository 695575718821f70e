/** The operator's commands. Only these commands need the modules of the service. */
export const operatorCommands = [
  { name: "serve", description: "Run the service until a stop signal" },
  { name: "migrate", description: "Migrate the database to this release" },
  { name: "accounts", description: "Create, list and show accounts" },
  { name: "platforms", description: "Create, update and list platforms" },
  { name: "keys", description: "Create, list, roll and revoke API keys" },
  { name: "audit", description: "Print the audit log, or verify it" },
  { name: "purge", description: "Delete expired data now" },
  { name: "backup", description: "Write a backup of the database to a file" },
  { name: "restore", description: "Restore a backup, or verify it" },
  { name: "resume", description: "Resume numbering after a restore" },
  { name: "rekey", description: "Encrypt stored secrets with a new key" },
  { name: "doctor", description: "Check the installation, and print each fault with its fix" },
  { name: "incidents", description: "List incidents, or send a test alert" },
  { name: "init", description: "Print a file to deploy or monitor the service" }
] as const
