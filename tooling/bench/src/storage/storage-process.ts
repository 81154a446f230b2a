import { loads } from './loads.ts'
import { measureLoad } from './measure-load.ts'
import type { StorageJob } from './storage-job.ts'

// Measures one load on a store and prints a figure. Arguments: the job as JSON and the duration in seconds.
const [text = '', seconds = '2'] = process.argv.slice(2)
const job = JSON.parse(text) as StorageJob
const open = loads[job.load]
if (!open) throw new Error(`unknown load: ${job.load}`)
await using load = await open(job)
console.log(JSON.stringify(await measureLoad(load, Number(seconds))))
