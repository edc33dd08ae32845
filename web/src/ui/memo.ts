// A component that renders again only when one of its properties changed.
import { Component, type ComponentType, createElement, type FunctionComponent, type JSX } from "preact";

export function memo<P extends object>(Inner: FunctionComponent<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const now = this.props as Record<string, unknown>;
      const then = next as Record<string, unknown>;
      for (const k in then) if (then[k] !== now[k]) return true;
      for (const k in now) if (!(k in then)) return true;
      return false;
    }
    override render(): JSX.Element {
      return createElement(Inner as FunctionComponent<object>, this.props as object) as JSX.Element;
    }
  };
}
