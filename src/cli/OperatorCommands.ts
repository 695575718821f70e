/** The commands for those who run the service: only these need the modules of the service. */
export const operatorCommands = [
  { name: "serve", description: "Run the service until it is asked to stop" },
  { name: "migrate", description: "Bring the database to where this release wants it" },
  { name: "accounts", description: "Make, list and show accounts" },
  { name: "keys", description: "Make, list, replace and revoke API keys" },
  { name: "purge", description: "Remove now what is past its time" },
  { name: "doctor", description: "Say what is wrong with the installation and what to do" }
] as const
