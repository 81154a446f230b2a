import { update } from '../../registry/src/update.ts'

export async function handleUpdate(): Promise<string> {
  return `answered: ${await update((current) => decode(current))}`
}

function decode(current: string): string {
  return `${current}, decoded`
}
