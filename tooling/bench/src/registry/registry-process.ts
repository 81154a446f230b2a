import { measureLoad } from '../storage/measure-load.ts'
import { measureStep } from './measure-step.ts'
import { createSteps } from './steps.ts'
import { writeLoads } from './write-loads.ts'

// Measures one registry item and prints a figure. Arguments: the name of the item and the duration in seconds.
const [name = '', seconds = '2'] = process.argv.slice(2)
const open = writeLoads[name]
if (open === undefined) console.log(JSON.stringify(measureStep(createSteps()[name]!, Number(seconds))))
else {
  await using load = await open()
  console.log(JSON.stringify(await measureLoad(load, Number(seconds))))
}
