import type { Item } from '../frame/item.ts'
import { install, openApi, readRealDefinitions } from './definitions.ts'

const count = 1000

/** Measures how much longer a server with many definitions needs from the start of its process until it is ready. */
export const readyItem: Item = {
  name: 'custom/ready',
  title: `additional time from start to ready with ${count.toLocaleString('en')} definitions`,
  unit: 's',
  bar: { type: 'most', value: 1.5 },
  only: 'named',
  rounds: 3,
  async open(bench) {
    const [empty, full] = ['empty', 'full'].map((name) => bench.scratch.directory(name)) as [string, string]
    const start = async (directory: string): Promise<number> => {
      await bench.stop()
      const began = performance.now()
      await bench.startServer({ pods: 1, configMaps: 0 }, { directory, probed: false, cores: 'all' })
      return (performance.now() - began) / 1000
    }
    await start(empty)
    await bench.stop()
    {
      const server = (await bench.startServer({ pods: 1, configMaps: 0 }, { directory: full, probed: false, cores: 'all' }))!
      using api = openApi(server)
      await install(api, await readRealDefinitions(count))
    }
    return {
      sides: [
        {
          name: 'keelson',
          async measure() {
            const without = await start(empty)
            return { value: (await start(full)) - without }
          },
        },
      ],
    }
  },
}
