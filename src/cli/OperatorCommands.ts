/** The commands for those who run the service: only these need the modules of the service. */
export const operatorCommands = [
  { name: "serve", description: "Run the service until it is asked to stop" },
  { name: "migrate", description: "Bring the database to where this release wants it" },
  { name: "accounts", description: "Make, list and show accounts" },
  { name: "keys", description: "Make, list, replace and revoke API keys" },
  { name: "purge", description: "Remove now what is past its time" },
  { name: "backup", description: "Write a backup of the database to a file" },
  { name: "restore", description: "Put a backup into an empty place, or look whether it is good" },
  { name: "resume", description: "Let ranges give numbers again after a restore" },
  { name: "doctor", description: "Say what is wrong with the installation and what to do" },
  { name: "incidents", description: "List what went wrong, or send a test alert" },
  { name: "init", description: "Print a file with which to run or watch the service" }
] as const
