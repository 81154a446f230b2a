// Loaded into a measured process before its program. Answers questions about the process over its IPC channel.
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
    // Collects objects that the first collection finalized.
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
    // Includes objects that have been collected.
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
// The bench has ended.
process.on('disconnect', () => process.exit())
process.channel?.unref()
