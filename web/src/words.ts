export function counted(number: number, noun: string, several?: string): string {
  return `${number.toLocaleString("en")} ${named(number, noun, several)}`;
}

export function named(number: number, noun: string, several = `${noun}s`): string {
  return number === 1 ? noun : several;
}

export function amount(number: number): string {
  return number.toLocaleString("en", { maximumFractionDigits: 2 });
}

export function milliseconds(number: number): string {
  const digits = number >= 100 ? 0 : number >= 10 ? 1 : 2;
  return `${number.toLocaleString("en", { maximumFractionDigits: digits })} ms`;
}
