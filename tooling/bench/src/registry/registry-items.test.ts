import { expect, test } from 'vitest'
import { registryItems } from './registry-items.ts'
import { steps } from './steps.ts'
import { writeLoads } from './write-loads.ts'

test('each registry item has a load or a step, and each step runs', () => {
  const known = steps()
  const names = registryItems.map(({ name }) => name.slice('registry/'.length))
  expect(names.toSorted()).toEqual([...Object.keys(writeLoads), ...Object.keys(known)].toSorted())
  for (const { prepare, run } of Object.values(known)) run(prepare())
})
