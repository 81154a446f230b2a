// Opens a store, runs clients on it and records their calls, until the parent kills this process.
import { openSync } from 'node:fs'
import { openEmbedded } from '@keelson/backend-embedded'
import { createRandom } from '../load/random.ts'
import { startLoad } from '../load/clients.ts'
import { FileRecorder } from '../load/recorder.ts'

const [dataDir, file, name, seed] = process.argv.slice(2) as [string, string, string, string]
const backend = await openEmbedded({ dataDir })
startLoad(backend, new FileRecorder(openSync(file, 'a')), backend.takeSnapshot().revision, {
  name,
  clients: 12,
  watchers: 4,
  keys: 40,
  valueBytes: 700,
  calls: Infinity,
  random: createRandom(Number(seed)),
  past: 50,
})
process.send!('ready')
