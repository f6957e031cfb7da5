package option

// Source is an option as Go source.
func (o Option[S]) Source() string { source, _ := o.print(); return source }

// Words is an option for people.
func (o Option[S]) Words() string { _, text := o.print(); return text }
