// npm start -- FLAGS: installs and builds if needed, then runs the API server.
import { spawn } from 'node:child_process'
import { ensureBuilt, entry } from './lib/ensure-built.mjs'
import { ensureInstalled, node } from './lib/prepare.mjs'

const parent = process.ppid
ensureInstalled()
ensureBuilt()
// Without this flag, SIGUSR1 opens Node's inspector to every process of this user.
const server = spawn(node, ['--disable-sigusr1', entry, ...process.argv.slice(2)], { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => server.kill(signal))
// Stop the server when npm ends. npm sends SIGTERM only to its shell, and the shell does not forward the signal.
const watch = setInterval(() => {
  if (process.ppid === parent) return
  clearInterval(watch)
  server.kill('SIGTERM')
}, 200)
server.on('error', (error) => {
  process.stderr.write(`keelson: ${error.message}\n`)
  process.exit(1)
})
server.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
