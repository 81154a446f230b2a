/** The target of a jump in a program. Its position is set after the steps that jump to it are created. */
export class Label {
  position = 0
}
