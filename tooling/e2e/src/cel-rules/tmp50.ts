import { compareRules, buildRuleReference } from './compare-rules.ts'
const program = (await buildRuleReference())!
const count = Number(process.argv[2] ?? 2000),
  seed = Number(process.argv[3] ?? 1),
  show = Number(process.argv[4] ?? 15)
const t = performance.now()
const { differences, ...rest } = await compareRules(program, { count, seed })
console.log(rest, differences.length, ((performance.now() - t) / 1000).toFixed(1) + ' s')
for (const { question, expected, received } of differences.slice(0, show)) {
  const find = (s: any): any => {
    if (s['x-kubernetes-validations']) return s['x-kubernetes-validations']
    for (const v of Object.values(s))
      if (typeof v === 'object' && v) {
        const f = find(v)
        if (f) return f
      }
  }
  console.log('---', JSON.stringify(find(question.schema)))
  if (process.env.DATA) console.log(JSON.stringify(question.object), '\n', JSON.stringify(question.old))
  for (const k of ['definition', 'costs', 'errors', 'warnings', 'remaining', 'panic'] as const)
    if (JSON.stringify(expected[k]) !== JSON.stringify(received[k]))
      console.log('  ', k, '\n     go', JSON.stringify(expected[k]), '\n     ts', JSON.stringify(received[k]))
}
