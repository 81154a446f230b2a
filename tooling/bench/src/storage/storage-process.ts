import { loads } from './loads.ts'
import { measureLoad } from './measure-load.ts'
import type { StorageJob } from './storage-job.ts'

// One load in a process of its own: the heap that another left behind is no part of the figure.
const job = JSON.parse(process.argv[2]!) as StorageJob
const open = loads[job.load]
if (!open) throw new Error(`no such load: ${job.load}`)
await using load = await open(job)
console.log(JSON.stringify(await measureLoad(load, job.seconds)))
