// The page begins: one event stream, one tree of components.
import { render } from "preact";
import { connect } from "./api/events";
import { App } from "./app";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/overlays.css";
import "./styles/frame.css";
import "./styles/transcript.css";
import "./styles/tools.css";
import "./styles/views.css";
import "./styles/chat.css";

connect();
render(<App />, document.getElementById("app")!);
