export const slabSize: number = 64 * 1024
const maxPooled = 64
const pool: Buffer[] = []

/** A buffer of `slabSize` to write an answer into, with old bytes in it. Whoever took it has it until `releaseSlab`; one that is never given back is only lost. */
export function takeSlab(): Buffer {
  return pool.pop() ?? Buffer.allocUnsafeSlow(slabSize)
}

/** Not before the socket is done with the bytes: the next answer is written over them. */
export function releaseSlab(slab: Buffer): void {
  if (pool.length < maxPooled) pool.push(slab)
}
