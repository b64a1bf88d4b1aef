export function ansiToSvg(text: string, options: { readonly title: string }): string;
