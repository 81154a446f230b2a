import { whenKnown } from '../../apimachinery/src/when-known.ts'

export async function update(change: (current: string) => string): Promise<string> {
  const current = await read()
  return whenKnown(current, change)
}

function read(): Promise<string> {
  return new Promise((resolve) => setImmediate(() => resolve('stored')))
}
