import { runWhenKnown } from '../../apimachinery/src/when-known.ts'

export async function update(change: (current: string) => string): Promise<string> {
  const current = await read()
  return runWhenKnown(current, change)
}

function read(): Promise<string> {
  return new Promise((resolve) => setImmediate(() => resolve('stored')))
}
