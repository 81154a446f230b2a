// Measures the process that it is loaded into. Loaded before the program with --import. Responds to requests over the IPC channel of the
// process.
import { writeFileSync } from 'node:fs'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let session

const answers = {
  allocated: () => getHeapStatistics().total_allocated_bytes,
  collect() {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc')
    collect()
    // The second collection removes objects that the first one finalized.
    setTimeout(() => collect(), 200)
  },
  async retained() {
    answers.collect()
    await new Promise((resolve) => setTimeout(resolve, 500))
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  },
  async startProfile() {
    const { Session } = await import('node:inspector/promises')
    session = new Session()
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.start')
    // Also samples objects that are garbage collected before the profile ends.
    await session.post('HeapProfiler.startSampling', {
      samplingInterval: 8192,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    })
  },
  async stopProfile(file) {
    const cpu = await session.post('Profiler.stop')
    const heap = await session.post('HeapProfiler.stopSampling')
    session.disconnect()
    writeFileSync(`${file}.cpuprofile`, JSON.stringify(cpu.profile))
    writeFileSync(`${file}.heapprofile`, JSON.stringify(heap.profile))
  },
}

const reply = async ({ question, argument }) => process.send({ question, answer: await answers[question](argument) })
process.on('message', (message) => void reply(message))
// The benchmark has ended, so this process ends too.
process.on('disconnect', () => process.exit())
process.channel?.unref()
