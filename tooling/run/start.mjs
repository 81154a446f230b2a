// npm start -- FLAGS: installs and builds when needed, then becomes the API server.
import { spawn } from 'node:child_process'
import { ensureBuilt, entry } from './lib/ensure-built.mjs'
import { ensureInstalled, node } from './lib/prepare.mjs'

ensureInstalled()
ensureBuilt()
const server = spawn(node, [entry, ...process.argv.slice(2)], { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => server.kill(signal))
server.on('error', (error) => {
  process.stderr.write(`keelson: ${error.message}\n`)
  process.exit(1)
})
server.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
