import { expect, test } from 'vitest'
import { extractExamples } from './readme-example.ts'

const block = (code: string): string => `\`\`\`ts\n${code}\n\`\`\`\n`

test('extractExamples returns the examples that import only the given packages', () => {
  const first = "import { a } from '@keelson/one'\na()"
  const second = "import { Hono } from 'hono'\nimport {\n  b,\n} from '@keelson/two/testing'\nb()"
  const beyond = "import { c } from '@keelson/three'"
  const markdown = `# One\n${block(first)}text\n${block(beyond)}\`\`\`sh\nnpm i\n\`\`\`\n${block(second)}`
  expect(extractExamples(markdown, ['@keelson/one', '@keelson/two'])).toEqual([`${first}\n`, `${second}\n`])
})
